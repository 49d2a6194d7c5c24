/** Reads values from text cells as people, spreadsheets and Odoo write them. An ambiguous cell is a question. */

import { valueFromText } from '../catalog/field-value.ts';
import type { Field } from '../catalog/resource.ts';
import { Mismatch, type Value } from '../catalog/value.ts';
import { isText, storageOf } from '../catalog/value-types.ts';
import { quoted, truncated } from '../problem/quoted.ts';
import { type DatePattern, patternsOf, readDate } from './dates.ts';
import { type Decisions, type Question, Undecided } from './decisions.ts';
import { eased } from './lenient.ts';
import { AMBIGUOUS, type DecimalSign, NumberStyle, plain } from './numbers.ts';

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', 'yes', 'y', '1', 'x', 'wahr', 'ja', 'vrai', 'oui'].map((word) => [word, true] as const),
  ...['false', 'f', 'no', 'n', '0', 'falsch', 'nein', 'faux', 'non'].map((word) => [word, false] as const),
]);

/** What Odoo writes before texts that a spreadsheet would take for formulas. */
const GUARD = /^'(?=[=+-])/;

/** An empty value in Odoo's exports, besides the empty cell. */
const NOTHING = 'False';

/** Whether a word means true or false; undefined if it means neither. */
export function booleanOf(word: string): boolean | undefined {
  return BOOLEANS.get(word.trim().toLowerCase());
}

/** What the first rows have shown about columns. */
export interface ColumnStyles {
  /** The decimal signs of those that show one. */
  readonly decimals?: ReadonlyMap<Field, DecimalSign>;
  /** Those in which `x` is true, so that an empty cell is false. */
  readonly marked?: ReadonlySet<Field>;
}

export class TextCells {
  /** Whether they come from Odoo. */
  readonly isOdoo: boolean;
  /** Whether a cell that has more than its value is read without the rest. */
  readonly isLenient: boolean;
  readonly #emptyText: 'null' | 'keep';
  readonly #timezone: string | undefined;
  readonly #decimal: DecimalSign | undefined;
  readonly #styles: ColumnStyles;
  readonly #numbers = new Map<Field, NumberStyle>();
  #dates: DatePattern | undefined;

  constructor(
    { decimal, dates, timezone, emptyText = 'keep', lenient = false }: Omit<Decisions, 'columns'>,
    isOdoo = false,
    styles: ColumnStyles = {},
  ) {
    this.isOdoo = isOdoo;
    this.isLenient = lenient;
    this.#emptyText = emptyText;
    this.#timezone = timezone;
    this.#decimal = decimal;
    this.#styles = styles;
    this.#dates = dates;
  }

  /** The decimal signs of columns that had numbers for which it matters. */
  get decimals(): ReadonlyMap<Field, DecimalSign> {
    const used = [...this.#numbers].flatMap(([field, { sign, isUsed }]) =>
      isUsed && sign !== undefined ? [[field, sign] as const] : [],
    );
    return new Map(used);
  }

  get dates(): DatePattern | undefined {
    return this.#dates;
  }

  /** Undefined if the cell does not set the field. In an export of Odoo, `false` is empty too. */
  empty(field: Field): Value | null | undefined {
    if (field.type === 'boolean' && (this.isOdoo || this.#styles.marked?.has(field))) return false;
    return field.nullable ? null : undefined;
  }

  /** An empty cell in quotes. */
  emptyText(field: Field): Value | null | undefined | Mismatch {
    if (!isText(field) || (field.nullable && this.#emptyText === 'null')) return this.empty(field);
    return valueFromText(field, '');
  }

  read(field: Field, text: string): Value | null | undefined | Mismatch {
    if (this.isLenient) {
      const { text: value } = eased(field, text);
      return value === '' ? this.empty(field) : this.#read(field, value);
    }
    const read = this.#read(field, text);
    const how = read instanceof Mismatch ? eased(field, text).how : undefined;
    return read instanceof Mismatch && how !== undefined ? new Mismatch(read.requirement, read.meant, how) : read;
  }

  #read(field: Field, text: string): Value | null | undefined | Mismatch {
    if (this.isOdoo && text === NOTHING && field.type !== 'boolean' && field.nullable) return null;
    switch (storageOf(field)) {
      case 'text':
        return valueFromText(field, this.isOdoo ? text.replace(GUARD, '') : text);
      case 'integer':
      case 'real':
        return this.#number(field, text);
      case 'boolean':
        return booleanOf(text) ?? valueFromText(field, text);
      case 'timestamp':
        return this.#timestamp(field, text);
    }
  }

  #number(field: Field, text: string): Value | Mismatch {
    let style = this.#numbers.get(field);
    if (style === undefined) {
      style = new NumberStyle(this.#styles.decimals?.get(field) ?? this.#decimal);
      this.#numbers.set(field, style);
    }
    const number = style.read(text);
    if (number === AMBIGUOUS) throw new Undecided([decimalQuestion(field.name, text)]);
    return number instanceof Mismatch ? number : valueFromText(field, number ?? text);
  }

  #timestamp(field: Field, text: string): Value | Mismatch {
    const time = readDate(text, this.#dates, this.#timezone);
    if (time !== undefined) return time;
    if (this.#timezone !== undefined && readDate(text, this.#dates, undefined) !== undefined)
      return new Mismatch(`must be a time that exists in ${this.#timezone}`);
    if (this.#dates !== undefined) return new Mismatch(`must be a date written as ${this.#dates.text}, or in ISO 8601`);
    const patterns = patternsOf(text);
    if (patterns.length > 1) throw new Undecided([datesQuestion(field.name, text, patterns)]);
    if (patterns.length === 0) return valueFromText(field, text);
    this.#dates = patterns[0];
    return this.#timestamp(field, text);
  }
}

/** `others` are further texts that have two meanings, so that it is easier to see which one is right. */
export function decimalQuestion(column: string, text: string, others: readonly string[] = []): Question {
  const all = examplesOf(text, others);
  const read = (sign: DecimalSign) => all.map((one) => truncated(plain(one, sign))).join(', ');
  return {
    option: 'decimal',
    column: truncated(column),
    question: `Is ${quoted(text.trim())} in ${truncated(column)} ${truncated(plain(text, ','))} or ${truncated(plain(text, '.'))}?`,
    choices: [
      { value: ',', meaning: `${read(',')}: with a decimal comma` },
      { value: '.', meaning: `${read('.')}: with a decimal point` },
    ],
  };
}

export function datesQuestion(
  column: string,
  text: string,
  patterns: readonly DatePattern[],
  others: readonly string[] = [],
): Question {
  const all = examplesOf(text, others);
  const read = (pattern: DatePattern) => all.map((one) => readDate(one, pattern, undefined)?.slice(0, 10)).join(', ');
  return {
    option: 'dates',
    column: truncated(column),
    question: `Which day is ${quoted(text.trim())} in ${truncated(column)}?`,
    choices: patterns.map((pattern) => ({ value: pattern.text, meaning: read(pattern) })),
  };
}

function examplesOf(text: string, others: readonly string[]): readonly string[] {
  return [...new Set([text, ...others])].slice(0, EXAMPLES);
}

/** Of how many texts a question shows the meanings. */
const EXAMPLES = 3;
