/** What an import is told about its file. */

import { expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { MAX_MAPPED, planReading } from '../../src/import/reading-options.ts';
import { REQUEST_WORDS } from '../../src/import/words.ts';

const mapped = (count: number) => Array.from({ length: count }, (_, n) => `Column ${n}:`);

test(`up to ${MAX_MAPPED} columns are mapped`, () => {
  expect(planReading(product, { map: mapped(MAX_MAPPED) }, REQUEST_WORDS)).toMatchObject({
    decisions: { columns: new Map(Array.from({ length: MAX_MAPPED }, (_, n) => [`Column ${n}`, undefined])) },
  });
  expect(planReading(product, { map: mapped(MAX_MAPPED + 1) }, REQUEST_WORDS)).toMatchObject({
    code: 'invalid_import_option',
    detail: 'map appears more than 250 times.',
    context: { parameter: 'map' },
  });
});
