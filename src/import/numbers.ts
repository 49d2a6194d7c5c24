/**
 * Numbers as people and spreadsheets write them: `1.234,56` and `1,234.56`. Whether `1.299` has a decimal point or a thousands separator cannot
 * be seen from itself, so the sign is decided once for a file: by the flag, or by the first number that permits only one.
 */

import { Mismatch } from '../catalog/value.ts';

export type DecimalSign = '.' | ',';

/** Without separators, or with a decimal point; as programs write numbers. */
const PLAIN = /^-?\d+(?:\.\d+)?$/;
const WHOLE = /^[+-]?\d+(?:[eE][+-]?\d+)?$/;

/** With separators that can only be between thousands. */
const GROUPED = /^[+-]?\d{1,3}(?:[ \u00a0\u2009\u202f'’]\d{3})+(?:[.,]\d+)?$/;
const THOUSANDS = /[ \u00a0\u2009\u202f'’]/g;

const FORMS = {
  '.': /^[+-]?(?:\d+|\d{1,3}(?:,\d{3})+)?(?:\.\d+)?(?:[eE][+-]?\d+)?$/,
  ',': /^[+-]?(?:\d+|\d{1,3}(?:\.\d{3})+)?(?:,\d+)?(?:[eE][+-]?\d+)?$/,
} as const;

/** A currency before or after an amount. */
export const CURRENCY = /\p{Sc}|^[A-Z]{3}(?=[\s\d-])|(?<=[\s\d])[A-Z]{3}$/u;

/** A number that has two meanings. */
export const AMBIGUOUS = Symbol('ambiguous');

export class NumberStyle {
  #sign: DecimalSign | undefined;
  #isUsed = false;

  constructor(sign?: DecimalSign) {
    this.#sign = sign;
  }

  /** Undefined as long as there was no number with a separator. */
  get sign(): DecimalSign | undefined {
    return this.#sign;
  }

  /** Whether there was a number with a separator. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** In decimal notation, with a point; undefined if it is no number. The first number that permits only one sign decides which. */
  read(text: string): string | Mismatch | typeof AMBIGUOUS | undefined {
    if (this.#sign === '.' && PLAIN.test(text)) {
      this.#isUsed ||= text.includes('.');
      return text;
    }
    const number = compact(text);
    if (WHOLE.test(number)) return number;
    const signs = signsOf(number);
    this.#isUsed ||= signs.length > 0;
    if (this.#sign === undefined && signs.length === 2) return AMBIGUOUS;
    if (this.#sign === undefined && signs.length === 1) this.#sign = signs[0];
    if (this.#sign !== undefined && signs.includes(this.#sign)) return plain(number, this.#sign);
    return this.#mismatch(text, signs);
  }

  #mismatch(text: string, [other]: readonly DecimalSign[]): Mismatch | undefined {
    if (other !== undefined)
      return new Mismatch(`must be a number with a decimal ${SIGN_NAMES[this.#sign ?? '.']}, as in other rows`);
    if (!CURRENCY.test(text) || !/\d/.test(text)) return undefined;
    const amount = compact(text.replace(CURRENCY, ''));
    return new Mismatch('must be a number without a currency', signsOf(amount).length > 0 ? amount : undefined);
  }
}

export const SIGN_NAMES = { '.': 'point', ',': 'comma' } as const;

/** The decimal signs with which a text is a number; both if it means the same with either, or nobody can tell. */
export function signsOf(text: string): readonly DecimalSign[] {
  const number = compact(text);
  const digits = /^[+-]?[.,]?\d/.test(number);
  return (['.', ','] as const).filter((sign) => digits && FORMS[sign].test(number) && !isOddGroup(number, sign));
}

/** What a number means with a decimal sign. */
export function plain(text: string, sign: DecimalSign): string {
  const number = compact(text);
  return sign === '.' ? number.replaceAll(',', '') : number.replaceAll('.', '').replace(',', '.');
}

function compact(text: string): string {
  const trimmed = text.trim();
  return GROUPED.test(trimmed) ? trimmed.replaceAll(THOUSANDS, '') : trimmed;
}

/** `0.125` and `007,125`: nobody writes thousands with a zero first. */
function isOddGroup(number: string, sign: DecimalSign): boolean {
  return sign === '.' ? /^[+-]?0\d*,/.test(number) : /^[+-]?0\d*\./.test(number);
}
