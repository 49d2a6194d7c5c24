/** Cells that are more than their values: with a currency, a percent sign, or a word for nothing. They are read only if somebody says so. */

import type { Field } from '../catalog/resource.ts';
import { isNumeric } from '../catalog/value-types.ts';
import { CURRENCY } from './numbers.ts';

/** What spreadsheets, databases and people write into cells that have no value. */
const NOTHING = /^(?:-|–|—|null|n\/a|#N\/A|#NULL!|#REF!|#VALUE!|#NAME\?|#DIV\/0!|#NUM!)$/i;

export interface Eased {
  /** Empty if the cell has no value. */
  readonly text: string;
  /** What was done, to follow "read it"; undefined if the cell is what it is. */
  readonly how?: string;
}

export function eased(field: Field, text: string): Eased {
  const trimmed = text.trim();
  if (NOTHING.test(trimmed)) return { text: '', how: 'as an empty cell' };
  if (!isNumeric(field) || !/\d/.test(trimmed)) return { text };
  const percent = /^(.*\d)\s*%$/s.exec(trimmed)?.[1];
  // As in a workbook, where a cell that shows 19% is the number 0.19.
  if (percent !== undefined && !/e/i.test(percent)) return { text: `${percent}e-2`, how: 'as hundredths' };
  const amount = trimmed.replace(CURRENCY, '').trim();
  return amount === trimmed ? { text } : { text: amount, how: 'without the currency' };
}
