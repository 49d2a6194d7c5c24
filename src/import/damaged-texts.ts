/** Texts, such as codes, that a spreadsheet has changed: they are stored as they are, and somebody should know in which rows. */

import type { Field } from '../catalog/resource.ts';
import { quoted } from '../problem/quoted.ts';
import { CountedRows, type RowUnit } from './tables.ts';

/** No shortened number is longer. */
const MAX_LENGTH = 30;

/** `4.00638E+12`: what is shown of a number with too many digits for its cell. */
const SHORTENED = /^[+-]?\d(?:[.,]\d+)?E\+\d+$/i;

/** `="00123"`: a formula that keeps zeros. */
const FORMULA = /^="[^"]*"$/;

const KINDS = {
  shortened: 'numbers that a spreadsheet has shortened, so their last digits are lost',
  formula: 'formulas, and are stored as such',
} as const;

interface Noted {
  readonly field: string;
  readonly kind: keyof typeof KINDS;
  readonly first: string;
  readonly rows: CountedRows;
}

export class DamagedTexts {
  readonly #noted = new Map<string, Noted>();

  note({ name }: Field, text: string, row: number): void {
    if (text.length > MAX_LENGTH) return;
    const kind = SHORTENED.test(text) ? 'shortened' : FORMULA.test(text) ? 'formula' : undefined;
    if (kind === undefined) return;
    const key = `${kind} ${name}`;
    const noted = this.#noted.get(key) ?? { field: name, kind, first: text, rows: new CountedRows() };
    noted.rows.add(row);
    this.#noted.set(key, noted);
  }

  notes(unit: RowUnit): readonly string[] {
    return [...this.#noted.values()].map(
      ({ field, kind, first, rows }) =>
        `${field}: the values of ${rows.text(unit)}, such as ${quoted(first)}, look like ${KINDS[kind]}.`,
    );
  }
}
