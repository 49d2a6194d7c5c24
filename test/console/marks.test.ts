/** Where the console marks what is searched for. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { markedParts, marksOf } from '../../console/src/format/marks.ts';
import { replaceWord, withoutWord } from '../../console/src/query/edit-search.ts';
import { product } from '../../src/catalog/product.ts';
import { anyText } from '../support/any-text.ts';

const parts = (q: string, field: string, text: string) => markedParts(text, marksOf(product, q).get(field) ?? []);

test.each([
  ['oak chair', 'name', 'Oak Chair, oak', '[Oak] [Chair], [oak]'],
  ['OAK', 'name', 'soaking', 's[oak]ing'],
  ['zz', 'name', 'Oak', 'Oak'],
  ['', 'name', 'Oak', 'Oak'],
  // Composed or decomposed, and in any case.
  ['crème', 'name', 'CRE\u0300ME brûlée', '[CRE\u0300ME] brûlée'],
  ['creme', 'name', 'Crème', 'Crème'],
  ['οδος', 'name', 'ΟΔΟΣ', '[ΟΔΟΣ]'],
  ['i', 'name', 'İx', '[İ]x'],
  ['lamp', 'name', '😀 Lamp', '😀 [Lamp]'],
  // Codes are found without what separates their parts, and only codes.
  ['chr12', 'default_code', 'CHR-12/3', '[CHR-12]/3'],
  ['chr-12', 'default_code', 'CHR12', '[CHR12]'],
  ['chr12', 'name', 'CHR-12', 'CHR-12'],
  ['oak', 'categ_id', 'oak', 'oak'],
  ['<b>', 'name', 'a<b>c', 'a[<b>]c'],
])('a search for %s marks %s: %s', (q, field, text, expected) => {
  const marked = parts(q, field, text).map((part) => (part.isMarked ? `[${part.text}]` : part.text));
  expect(marked.join('')).toBe(expected);
});

test('the parts are the whole text, whatever it is', () => {
  const isWhole = (text: string, q: string) => {
    const found = parts(q, 'default_code', text);
    return (
      found.map((part) => part.text).join('') === text && found.every((part) => text.startsWith(part.text, part.at))
    );
  };
  fc.assert(fc.property(anyText(), fc.string(), isWhole));
  expect(isWhole('oak '.repeat(2_000), 'oak')).toBe(true);
});

test('words of a search are replaced and removed as the service names them', () => {
  expect(withoutWord(' Oak  CHIAR lamp', 'chiar')).toBe('Oak lamp');
  expect(replaceWord('Oak CHIAR lamp', 'chiar', 'chair')).toBe('Oak chair lamp');
});
