import { expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { nullable } from '../../src/catalog/resource.ts';
import { canonical } from '../../src/plan/canonical.ts';
import { planFilter } from '../../src/plan/filter.ts';
import { planned } from '../support/fixture.ts';

function canonicalText(filter: string): string {
  const { where } = planned(planFilter(product, filter, []));
  if (where === undefined) throw new Error('there is no filter');
  return canonical(where);
}

test.each([
  ['id=1', 'id[1]', 'id[1,1]', ' id = 1.0 ', 'id="1e0"'],
  ['id=1&active=true', 'active=TRUE&id=1', 'id=1&active=true&id=1'],
  ['name*OAK', 'name*oak', 'name*"Oak"'],
  ['categ_id[1,null]', 'categ_id[null,1]'],
  ['create_date>2026-01-01', 'create_date>2026-01-01T01:00+01:00'],
])('%s has the same canonical text as its variants', (...filters) => {
  expect(new Set(filters.map(canonicalText)).size).toBe(1);
});

test('different predicates have different canonical texts', () => {
  const filters = [
    ...[
      ...'id=1 id!=1 id>1 id>=1 id=2'.split(' '),
      ...'id[1,2] id[1,23] id[12,3] id![1,2] id=1&id=2 id=1|id=2 (id=1|id=2)&id=3 id=1|id=2&id=3'.split(' '),
    ],
    ...[
      'name=a',
      'name*a',
      'name!*a',
      'name="a,b"',
      'name[a,b]',
      'name="\\"a\\",\\"b\\""',
      'name="null"',
      'default_code=null',
      'default_code="null"',
    ],
    ...['list_price>1e400', 'list_price>-1e400', 'list_price=1', 'qty_available=1', 'active=true', 'name=true'],
    ...['list_price=1e400', 'list_price=-1e400', 'list_price[1,1e400]'],
  ];
  expect(new Set(filters.map(canonicalText)).size).toBe(filters.length);
});

test('an infinite number is not null', () => {
  const field = nullable('weight', 'Weight', 'number', 'weight');
  const texts = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, null].map((value) =>
    canonical({ kind: 'equals', field, anyOf: [value], negated: false }),
  );
  expect(new Set(texts).size).toBe(3);
});
