/** Where suggested values come from. Counting the values of a field that has a million of them would be slow, or refused. */

import { expect, test } from 'vitest';
import { valueSource } from '../../console/src/query/value-source.ts';
import { builtInCatalog } from '../../src/catalog/catalog.ts';

test('only categories are counted, and the rest is searched if there is an index for it', () => {
  const fields = builtInCatalog.resources.flatMap((resource) => resource.fields);
  const sources = (typed: string, wanted: string) => fields.filter((field) => valueSource(field, typed) === wanted);
  const categories = fields.filter(({ category }) => category);
  const searched = fields.filter(({ category, searched }) => searched && !category);
  expect(categories.map(({ name }) => name)).toEqual(expect.arrayContaining(['categ_id', 'city', 'country_code']));
  expect(sources('', 'counted')).toEqual(categories);
  expect(sources('', 'searched')).toEqual([]);
  expect(sources('Be', 'searched')).toEqual([]);
  expect(sources('Ber', 'searched')).toEqual(searched);
  expect(sources('Ber', 'counted')).toEqual(categories);
});
