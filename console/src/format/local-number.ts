/**
 * Numbers as people type and read them. The reader's locale decides, as it does in the table; numbers as the API writes them are
 * read as well, because they are copied from code and responses. Everything else has numbers in decimal notation.
 *
 *     in German    1.500 is 1500    1500.5 is 1500.5    1,500 is 1.500 or 1500
 */

/** How digits are grouped, and where decimals begin. */
interface Notation {
  readonly groups: string;
  readonly decimal: string;
  /** The sizes of groups other than the first and the last. */
  readonly size: number;
}

interface Locale extends Notation {
  readonly minus: string;
  /** From 0 to 9. */
  readonly digits: readonly string[];
}

const API: Notation = { groups: ',_', decimal: '.', size: 3 };

/**
 * The numbers that a text may be, in decimal notation with all digits as they were typed. The first one is what the locale
 * reads. More than one if the text could be in either of two notations; none if it is not a number.
 */
export function readLocalNumber(text: string, locale?: string): readonly string[] {
  const signs = signsOf(locale);
  const plain = plainText(text, signs).replace(CURRENCY_BEFORE, '$1').replace(CURRENCY_AFTER, '');
  const own = read(plain, signs);
  // Exactly how the table shows this number.
  if (own !== undefined && [...signs.groups].some((group) => plain.includes(group))) return [own];
  const readings = [own, read(plain, handwritten(signs)), read(plain, API)];
  return [...new Set(readings.filter((reading) => reading !== undefined))];
}

/** Amounts are typed as the table shows them: `€100`, `-US$100`, `100 EUR`. */
const CURRENCY_BEFORE = /^([+-]?)(?:\p{L}{0,3}\p{Sc} ?|\p{Lu}{3} )(?=\d)/u;
const CURRENCY_AFTER = /(?<=\d) ?(?:\p{L}{0,3}\p{Sc}|\p{Lu}{3})$/u;

export function hasDecimalComma(locale?: string): boolean {
  return signsOf(locale).decimal === ',';
}

/** A number in decimal notation with all its digits, as the locale writes it. Any other text stays as it is. */
export function localNumber(number: string, locale?: string): string {
  return written(number, true, locale);
}

/** The same without grouped digits, for a field in which it is edited. */
export function localDigits(number: string, locale?: string): string {
  return written(number, false, locale);
}

/** More would be noise. */
const MAX_DIGITS = 40;

function written(number: string, useGrouping: boolean, locale: string | undefined): string {
  if (!isDecimal(number) || number.length > MAX_DIGITS) return number;
  const decimals = number.split('.')[1]?.length ?? 0;
  const options = { useGrouping, minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  // As text, because a double does not have all digits.
  return new Intl.NumberFormat(locale, options).format(number);
}

function isDecimal(text: string): text is `${number}` {
  return /^-?\d+(?:\.\d+)?$/.test(text);
}

/** What people use for groups by hand, whatever the locale has: the sign that is not for decimals. */
function handwritten({ decimal, size }: Notation): Notation {
  return { groups: decimal === ',' ? '.' : decimal === '.' ? ',' : '', decimal, size };
}

function read(text: string, { groups, decimal, size }: Notation): string | undefined {
  const group = groups === '' ? '(?!)' : `[${escaped(groups)}]`;
  const grouped = `[1-9]\\d{0,2}(?:${group}\\d{${size}})*${group}\\d{3}`;
  const form = `^([+-]?)(${grouped}|\\d*)(?:[${escaped(decimal)}](\\d+))?(e[+-]?\\d+)?$`;
  const [, sign, whole = '', fraction, exponent = ''] = new RegExp(form, 'i').exec(text) ?? [];
  if (sign === undefined || (whole === '' && fraction === undefined)) return undefined;
  const digits = whole.replaceAll(/\D/g, '') || '0';
  return `${sign.replace('+', '')}${digits}${fraction === undefined ? '' : `.${fraction}`}${exponent}`;
}

function escaped(characters: string): string {
  return characters.replaceAll(/[\\\]^-]/g, '\\$&');
}

/** With ASCII digits and signs, and without marks of direction. One kind of space and of apostrophe is as good as another. */
function plainText(text: string, { minus, digits }: Locale): string {
  const ascii = new Map(digits.map((digit, value) => [digit, String(value)]));
  const plain = Array.from(text.trim().replaceAll(/[\u061c\u200e\u200f]/g, ''), (sign) => ascii.get(sign) ?? sign);
  return plain.join('').replaceAll(/[-−]/g, '-').replaceAll(minus, '-').replaceAll(/[’']/g, "'").replaceAll(/\s/g, ' ');
}

const known = new Map<string | undefined, Locale>();

function signsOf(name: string | undefined): Locale {
  const found = known.get(name) ?? newLocale(name);
  known.set(name, found);
  return found;
}

function newLocale(name: string | undefined): Locale {
  const format = new Intl.NumberFormat(name, { useGrouping: true });
  const parts = format.formatToParts(-1_234_567.8);
  const sign = (type: Intl.NumberFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? '';
  const whole = parts.filter(({ type }) => type === 'integer');
  const plain = new Intl.NumberFormat(name, { useGrouping: false });
  return {
    groups: sign('group').replaceAll(/\s/g, ' ').replaceAll('’', "'"),
    decimal: sign('decimal'),
    size: whole[1]?.value.length ?? 3,
    minus: sign('minusSign'),
    digits: Array.from({ length: 10 }, (_, value) => plain.format(value)),
  };
}
