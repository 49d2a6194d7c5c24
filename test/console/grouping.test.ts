/** By what records can be grouped, and what is measured of a group. */

import { expect, test } from 'vitest';
import { measuresOf } from '../../console/src/groups/group-measures.ts';
import { facetOf, groupableFields, waysOf } from '../../console/src/groups/grouping.ts';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import { company } from '../../src/catalog/company.ts';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';

test('prices are averaged, quantities are added, and the value of the stock is the sum of both multiplied', () => {
  expect(measuresOf(product).map(({ measure, title }) => [measure, title])).toEqual([
    ['avg(list_price)', expect.stringMatching(/^Average /)],
    ['sum(qty_available)', expect.any(String)],
    ['sum(list_price*qty_available)', 'Stock value'],
  ]);
  expect(measuresOf(company)).toEqual([]);
});

test('what is different for every record is not offered', () => {
  expect(groupableFields(product).map(({ name }) => name)).toEqual([
    ...['list_price', 'qty_available', 'active', 'categ_id', 'is_rsd_product', 'create_date', 'write_date'],
  ]);
  const names = groupableFields(partner).map(({ name }) => name);
  expect(names).toContain('city');
  expect(names).not.toContain('email');
});

test('every way to group is a facet of the API', () => {
  for (const resource of builtInCatalog.resources)
    for (const field of groupableFields(resource))
      for (const { facet } of waysOf(field)) expect(facetOf(resource, facet)?.field).toBe(field);
});
