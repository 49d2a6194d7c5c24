/** Which conditions an index supports. */

import { describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { planFilter } from '../../src/plan/filter.ts';
import { hasIndex, isSearch, valueCandidates } from '../../src/plan/indexes.ts';
import type { Predicate } from '../../src/plan/plan.ts';
import { planned } from '../support/fixture.ts';

function where(filter: string, resource = product): Predicate {
  const { where } = planned(planFilter(resource, filter, []));
  if (where === undefined) throw new Error('there is no filter');
  return where;
}

/** The fields of each candidate. */
function candidates(filter: string): readonly string[] {
  return valueCandidates(where(filter)).map((conditions) =>
    conditions.map((condition) => ('field' in condition ? condition.field.name : condition.kind)).join('|'),
  );
}

describe('exact values', () => {
  test.each<[filter: string, expected: readonly string[]]>([
    ['id=1', ['id']],
    ['id[1,2]', ['id']],
    ['default_code=x', ['default_code']],
    ['list_price=5', ['list_price']],
    ['categ_id[1,2]', ['categ_id']],
    // No index of exact values.
    ['name=x', []],
    ['active=false', []],
    ['name*oak', []],
    // Most records.
    ['id!=1', []],
    ['categ_id![1,2]', []],
    ['list_price=0', []],
    ['list_price[5,0]', []],
    ['categ_id=null', []],
    ['categ_id[1,null]', []],
    ['id>1', []],
    // Each of several conditions is a candidate.
    ['id=1&name=x', ['id']],
    ['id=1&categ_id=2', ['id', 'categ_id']],
    ['id>5&(id=1&categ_id=2)', ['id', 'categ_id']],
    // One of several alternatives is needed, so all have to be indexed.
    ['id=1|categ_id=2', ['id|categ_id']],
    ['id=1|name=x', []],
    ['name=x|id=1', []],
    ['id=1&name=x|categ_id=2&active=true', ['id|categ_id']],
    ['(id=1|categ_id=2)&default_code=x', ['id|categ_id', 'default_code']],
  ])('%s', (filter, expected) => {
    expect(candidates(filter)).toEqual(expected);
  });
});

test('records without a value may be most, also of a field with a default', () => {
  const [, , , field] = product.fields;
  if (field === undefined) throw new Error('a product has a price');
  const condition = (anyOf: readonly (number | null)[]) => ({ kind: 'equals', field, anyOf, negated: false }) as const;
  expect(valueCandidates(condition([5]))).toHaveLength(1);
  expect(valueCandidates(condition([5, null]))).toEqual([]);
});

describe('searches', () => {
  test.each<[filter: string, expected: boolean]>([
    ['name*oak', true],
    ['name*oakwood', true],
    ['name*oa', false],
    ['name*😀😀', false],
    ['name*😀😀😀', true],
    ['name!*oak', false],
    ['name=oak', false],
    ['name*oak&id>1', true],
    ['id>1&(active=true|name*oak)', false],
    ['name*oak|default_code*chr', true],
  ])('%s: %s', (filter, expected) => {
    expect(isSearch(where(filter))).toBe(expected);
  });

  test('a field that is not searched has no index', () => {
    expect(isSearch(where('city*berlin', partner))).toBe(false);
  });
});

test.each([
  ['name*oak', true],
  ['id=1', true],
  ['name*oak|id=1', false],
  ['name=oak', false],
])('an index finds what %s matches: %s', (filter, expected) => {
  expect(hasIndex(where(filter))).toBe(expected);
});
