/** Where suggested values come from. Counting the values of a field that has a million of them would be slow, or refused. */

import { expect, test } from 'vitest';
import { valueSource } from '../../console/src/query/value-source.ts';
import { catalog } from '../../src/catalog/catalog.ts';

test('only categories are counted, and the rest is searched if there is an index for it', () => {
  const sources = (typed: string, wanted: string) =>
    catalog.flatMap((resource) =>
      resource.fields
        .filter((field) => valueSource(field, typed) === wanted)
        .map(({ name }) => `${resource.name}.${name}`),
    );
  const categories = ['product.categ_id', 'partner.city', 'partner.country_code'];
  const searched = ['product.name', 'product.default_code', 'partner.name', 'partner.email', 'company.name'];
  expect(sources('', 'counted')).toEqual(categories);
  expect(sources('', 'searched')).toEqual([]);
  expect(sources('Be', 'searched')).toEqual([]);
  expect(sources('Ber', 'searched')).toEqual(searched);
  expect(sources('Ber', 'counted')).toEqual(categories);
});
