/** Which filters leave room for the conditions of a group: as many as the parser accepts. */

import { expect, test } from 'vitest';
import type { Filter } from '../../src/filter/ast.ts';
import { FilterError } from '../../src/filter/filter-error.ts';
import { parseFilter } from '../../src/filter/parse.ts';
import { printFilter } from '../../src/filter/print.ts';
import { comparison, excessOf, groupFilter } from '../../src/plan/group-filter.ts';
import { parsedFilter } from '../support/parsed-filter.ts';

const conditions = (count: number) => parsedFilter(Array.from({ length: count }, (_, n) => `id=${n}`).join('|'));
const and = (filter: Filter): Filter => ({ kind: 'and', operands: [filter, comparison('id', '=', '1')] });
const or = (filter: Filter): Filter => ({ kind: 'or', operands: [filter, comparison('id', '=', '1')] });
const nested = (depth: number, wrap: (filter: Filter, level: number) => Filter) =>
  Array.from({ length: depth }).reduce<Filter>((inner, _, level) => wrap(inner, level), or(conditions(1)));
const long = (bytes: number) => comparison('name', '*', 'x'.repeat(bytes - 'name*'.length));

test.each<[name: string, filter: Filter, excess: string | undefined]>([
  ['200 conditions', conditions(200), undefined],
  ['201 conditions', and(conditions(200)), 'The filter has more than 200 conditions.'],
  ['20 levels', nested(20, and), undefined],
  ['21 levels', nested(21, and), 'Groups are nested more than 20 levels deep.'],
  ['21 levels of or', nested(21, or), 'Groups are nested more than 20 levels deep.'],
  [
    '40 levels, half of which need no parentheses',
    nested(40, (inner, level) => (level % 2 === 0 ? and : or)(inner)),
    undefined,
  ],
  ['32 KiB', long(32_768), undefined],
  ['a byte more', long(32_769), 'The filter has 32769 bytes; the limit is 32768.'],
])('a group has a filter as long as that can be sent: %s', (_, filter, excess) => {
  expect(excessOf(filter)).toBe(excess);
  const read = parseFilter(printFilter(filter));
  expect(read instanceof FilterError ? read.detail : undefined).toBe(excess);
});

const [low, high] = [comparison('list_price', '>=', '5'), comparison('list_price', '<', '9')];

test.each([
  [undefined, [low], 'list_price>=5'],
  [undefined, [low, high], 'list_price>=5&list_price<9'],
  ['id=1', [low], 'id=1&list_price>=5'],
  ['id=1&id=2', [low, high], 'id=1&id=2&list_price>=5&list_price<9'],
  ['id=1|id=2', [comparison('categ_id', '=', null)], '(id=1|id=2)&categ_id=null'],
])('the filter of a group of %s', (filter, conditions, expected) => {
  const parsed = filter === undefined ? undefined : parsedFilter(filter);
  expect(printFilter(groupFilter(parsed, conditions))).toBe(expected);
});
