/** Files that say how others are read. */

import { expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { readMapping } from '../../src/import/mapping.ts';

test('the options that it gives', () => {
  const mapping = {
    ...{ resource: 'product', key: 'default_code', columns: { Preis: 'list_price', Notiz: null } },
    ...{ ignoreUnknown: true, lenient: false, headerRow: 3, decimal: ',' },
  };
  expect(readMapping(JSON.stringify(mapping), product)).toEqual({
    ...{ key: 'default_code', decimal: ',', map: ['Preis=list_price', 'Notiz='] },
    ...{ ignoreUnknown: true, lenient: false, headerRow: '3' },
  });
  expect(readMapping('{}', product)).toEqual({ map: [] });
});

test.each([
  ['{', 'it is not a JSON object'],
  ['[]', 'it is not a JSON object'],
  ['null', 'it is not a JSON object'],
  ['{"colums":{}}', /^"colums" is not one of resource, columns, /],
  ['{"resource":"partner"}', 'it is for partner, not for product'],
  ['{"ignoreUnknown":"yes"}', '"ignoreUnknown" is neither true nor false'],
  ['{"lenient":1}', '"lenient" is neither true nor false'],
  ['{"headerRow":"3"}', '"headerRow" is not a number'],
  ['{"columns":[]}', '"columns" is not an object with the name of a field, or null, for each column'],
  ['{"columns":{"a":1}}', '"columns" is not an object with the name of a field, or null, for each column'],
  ['{"decimal":1}', '"decimal" is not a text'],
])('%s: %s', (text, flaw) => {
  expect(readMapping(text, product)).toEqual({ flaw: typeof flaw === 'string' ? flaw : expect.stringMatching(flaw) });
});
