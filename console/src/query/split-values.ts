/**
 * Several values in one text, such as a column of a spreadsheet or a list from code. In numbers, a comma may mean something else:
 * a text that is a number is not split.
 *
 *     1,5;2,25 in German    1,5 and 2,25        1.5, 2.25, 3    three numbers
 */

import type { Field } from '../../../src/catalog/resource.ts';
import { isText, storageOf } from '../../../src/catalog/value-types.ts';
import { readLocalNumber } from '../format/local-number.ts';

/** At least one. */
export function splitValues(field: Field, text: string): readonly string[] {
  if (isText(field)) return parts(text, /[\t\r\n]+/);
  switch (storageOf(field)) {
    case 'timestamp':
      return parts(text, /[\t\r\n;,]+/);
    case 'real':
      return parts(text, /[\t\r\n;]+/)
        .flatMap((cell) => (isNumber(cell) ? [cell] : parts(cell, /,?\s+/)))
        .flatMap((word) => (isNumber(word) ? [word] : parts(word, /,/)));
    default:
      return parts(text, /[\s,;]+/);
  }
}

function isNumber(text: string): boolean {
  return readLocalNumber(text).length > 0;
}

function parts(text: string, separator: RegExp): readonly string[] {
  const found = text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return found.length === 0 ? [''] : found;
}
