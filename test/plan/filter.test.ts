/** Filter text to predicate. */

import { describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { planFilter } from '../../src/plan/filter.ts';
import { planned } from '../support/fixture.ts';

const plan = (filter: string | undefined) => planFilter(product, filter, []);

/** What a condition on a field became. */
function condition(filter: string) {
  const { where } = planned(plan(filter));
  if (where === undefined || !('field' in where)) throw new Error('it is one condition');
  const { field, ...rest } = where;
  return { field: field.name, ...rest };
}

test('without a filter there is nothing to match', () => {
  expect(plan(undefined)).toEqual({ filter: undefined, where: undefined });
});

const equals = (field: string, anyOf: readonly unknown[], negated = false) => ({
  field,
  kind: 'equals',
  anyOf,
  negated,
});
const contains = (text: string, negated = false) => ({
  ...{ field: 'name', kind: 'text', test: '*', form: 'folded' },
  ...{ text, negated },
});
const ordered = (field: string, operator: string, value: unknown) => ({ field, kind: 'ordered', operator, value });

describe('a condition', () => {
  test.each<[filter: string, expected: object]>([
    ['id=5', equals('id', [5])],
    ['id!=5', equals('id', [5], true)],
    ['id[1,2]', equals('id', [1, 2])],
    ['id![1,2]', equals('id', [1, 2], true)],
    ['active=TRUE', equals('active', [true])],
    ['name=Oak', equals('name', ['Oak'])],
    ['name=', equals('name', [''])],
    ['default_code=null', equals('default_code', [null])],
    ['default_code="null"', equals('default_code', ['null'])],
    ['categ_id![1,null]', equals('categ_id', [1, null], true)],
    ['name*ΟΔΟΣ', contains('οδοσ')],
    ['name!*Oak', contains('oak', true)],
    ['list_price>1.50', ordered('list_price', '>', 1.5)],
    ['list_price<=-1', ordered('list_price', '<=', -1)],
    ['write_date<2026-01-31', ordered('write_date', '<', '2026-01-31T00:00:00.000Z')],
  ])('%s', (filter, expected) => {
    expect(condition(filter)).toEqual(expected);
  });

  test('conditions are joined', () => {
    expect(planned(plan('id=1&(id=2|id=3)')).where).toMatchObject({
      kind: 'and',
      operands: [{ anyOf: [1] }, { kind: 'or', operands: [{ anyOf: [2] }, { anyOf: [3] }] }],
    });
  });
});

describe('a time between two milliseconds equals none, and is compared exactly', () => {
  const [exact, floor] = ['2026-01-31T00:00:00.0005Z', '2026-01-31T00:00:00.000Z'];

  test.each<[filter: string, expected: object]>([
    [`write_date=${exact}`, equals('write_date', [])],
    [`write_date!=${exact}`, equals('write_date', [], true)],
    [`write_date[${exact},${floor}]`, equals('write_date', [floor])],
    [`write_date>${exact}`, ordered('write_date', '>', floor)],
    [`write_date>=${exact}`, ordered('write_date', '>', floor)],
    [`write_date<${exact}`, ordered('write_date', '<=', floor)],
    [`write_date<=${exact}`, ordered('write_date', '<=', floor)],
    [`write_date>=${floor}`, ordered('write_date', '>=', floor)],
    [`write_date<${floor}`, ordered('write_date', '<', floor)],
  ])('%s', (filter, expected) => {
    expect(condition(filter)).toEqual(expected);
  });
});

describe('a filter with several mistakes', () => {
  const fixedOf = (filter: string) => Object(plan(filter)).context?.fixed?.filter;

  test('is reported by the first, and fixed as a whole', () => {
    const filter = 'lst_price==5&(active=yes|name like oak)&create_date>1.2.2026';
    expect(plan(filter)).toMatchObject({
      ...{ code: 'filter_syntax', detail: 'Expected an operator after the field name, found l.' },
      context: {
        parameter: 'filter',
        suggestion: 'Write name*oak',
        fixed: { filter: 'list_price=5&(active=true|name*oak)&create_date>2026-02-01' },
      },
    });
  });

  test('is fixed together with what looks wrong about texts', () => {
    expect(fixedOf("id==5&name='oak'")).toBe('id=5&name=oak');
    expect(fixedOf('id==5&name*oak and price>5')).toBe('id=5&name*oak&list_price>5');
    expect(fixedOf('id==5&name*oak and list_price>cheap')).toBe('id=5&name*oak and list_price>cheap');
  });

  test('is not fixed if one of them cannot be', () => {
    expect(plan('id==5&list_price>cheap')).toMatchObject({ context: { suggestion: 'Did you mean id=5?' } });
    for (const filter of ['id==5&list_price>cheap', 'list_price>cheap&id==5', 'id==5&colour=red'])
      expect(Object(plan(filter)).context).not.toHaveProperty('fixed');
  });

  const mistakes = (count: number) => Array.from({ length: count }, () => 'id==5').join('&');

  test('is fixed if there are at most 20', () => {
    expect(fixedOf(mistakes(20))).toBe(mistakes(20).replaceAll('==', '='));
    expect(fixedOf(mistakes(21))).toBeUndefined();
  });

  const long = (length: number, end: string) => `name*${'x'.repeat(length - 'name*'.length - end.length)}${end}`;

  test('is fixed if it has at most 4,000 characters, and one mistake in a longer one', () => {
    expect(fixedOf(long(4_001, '&id==5&id==6'))).toBe(long(3_999, '&id=5&id=6'));
    expect(fixedOf(long(4_002, '&id==5&id==6'))).toBeUndefined();
    expect(fixedOf(long(9_000, '&id==5'))).toBe(long(8_999, '&id=5'));
  });

  test('is only searched for mistakes about texts if it has at most 4,000 characters', () => {
    expect(fixedOf(long(4_001, "&name='a'&id==5"))).toBe(long(3_998, '&name=a&id=5'));
    expect(fixedOf(long(4_002, "&name='a'&id==5"))).toBe(long(4_001, "&name='a'&id=5"));
  });
});
