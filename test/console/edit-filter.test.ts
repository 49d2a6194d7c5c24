/** Editing filters: as text, which the charts do, and as a tree, which the query builder does. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { andFilter, conditionOn, replaceField, withoutCondition } from '../../console/src/query/edit-filter.ts';
import {
  addAt,
  combineAt,
  conditionsOf,
  contextAt,
  groupWithNext,
  isCondition,
  moveInto,
  moveOut,
  type Path,
  partAt,
  removeAt,
  replaceAt,
  switchAt,
  ungroupAt,
} from '../../console/src/query/filter-tree.ts';
import { product } from '../../src/catalog/product.ts';
import type { Filter } from '../../src/filter/ast.ts';
import { printFilter } from '../../src/filter/print.ts';
import { filterOf } from '../support/arbitraries.ts';
import { parsedFilter } from '../support/parsed-filter.ts';

describe('as text', () => {
  test.each([
    ['', 'a=1', 'a=1'],
    ['a=1', '', 'a=1'],
    ['a=1', 'b=2', 'a=1&b=2'],
    ['a=1|b=2', 'c=3', '(a=1|b=2)&c=3'],
    ['a=1&b=2', 'c=3|d=4', 'a=1&b=2&(c=3|d=4)'],
    ['a=1 & b=2', 'b=2&c=3', 'a=1&b=2&c=3'],
    ['a=', 'b="x & y"', 'a=""&b="x & y"'],
    ['this is (invalid', 'a=1', 'a=1'],
  ])('joins %j and %j', (filter, condition, expected) => {
    expect(andFilter(filter, condition)).toBe(expected);
  });

  test.each([
    ['a=1&b=2&c=3', 'b=2', 'a=1&c=3'],
    ['a=1&b=2&c=3', 'c=3&a=1', 'b=2'],
    ['a=1', 'a=1', ''],
    ['a=1', 'a=2', 'a=1'],
    ['a=1|b=2', 'a=1', 'a=1|b=2'],
    ['a=1|b=2', 'a=1|b=2', ''],
    ['a = "x"&b=2', 'a=x', 'b=2'],
  ])('%s without %s', (filter, condition, expected) => {
    expect(withoutCondition(filter, condition)).toBe(expected);
  });

  test.each([
    ['p>=1&p<5&b=2', 'p', 'p>=7&p<9', 'p>=7&p<9&b=2'],
    ['b=2&p>=1&c=3&p<5', 'p', 'p=7', 'b=2&p=7&c=3'],
    ['(p=1|p=2)&b=2', 'p', 'p=3', 'p=3&b=2'],
    ['(p=1|b=2)&c=3', 'p', 'p=3', '(p=1|b=2)&c=3&p=3'],
    ['p=1&b=2', 'p', '', 'b=2'],
    ['p=1', 'p', '', ''],
    ['b=2', 'p', 'p=1', 'b=2&p=1'],
  ])('in %s, %s as %s', (filter, field, condition, expected) => {
    expect(replaceField(filter, field, condition)).toBe(expected);
  });

  test('the conditions on a field', () => {
    expect(conditionOn('p>=1&b=2&p<5', 'p')).toBe('p>=1&p<5');
    expect(conditionOn('b=2', 'p')).toBe('');
  });

  test('what was added can be removed', () => {
    fc.assert(
      fc.property(filters, filters, (filter, condition) => {
        const [before, addition] = [print(filter), print(condition)];
        const removed = withoutCondition(andFilter(before, addition), addition);
        expect(removed).toBe(withoutCondition(before, addition));
      }),
    );
  });
});

const filters = filterOf(product, []);

function print(filter: Filter | undefined): string {
  return filter === undefined ? '' : printFilter(filter);
}

const added = parsedFilter('z=9');

describe('as a tree', () => {
  test.each<[string, (filter: Filter) => Filter | undefined, string]>([
    ['a=1', (filter) => removeAt(filter, []), ''],
    ['a=1&b=2', (filter) => removeAt(filter, [0]), 'b=2'],
    ['a=1&(b=2|c=3)', (filter) => removeAt(filter, [1, 0]), 'a=1&c=3'],
    ['a=1|b=2&(c=3|d=4)', (filter) => removeAt(filter, [1, 0]), 'a=1|c=3|d=4'],
    ['a=1|(b=2|c=3)', (filter) => removeAt(filter, [0]), 'b=2|c=3'],
    ['a=1', (filter) => replaceAt(filter, [], added), 'z=9'],
    ['a=1&(b=2|c=3)', (filter) => replaceAt(filter, [1, 1], added), 'a=1&(b=2|z=9)'],
    ['a=1', (filter) => addAt(filter, [], added), 'a=1&z=9'],
    ['a=1|b=2', (filter) => addAt(filter, [], added), 'a=1|b=2|z=9'],
    ['a=1&(b=2|c=3)', (filter) => addAt(filter, [1], added), 'a=1&(b=2|c=3|z=9)'],
    ['a=1&b=2', (filter) => combineAt(filter, [1], added, 'or'), 'a=1&(b=2|z=9)'],
    ['a=1', (filter) => combineAt(filter, [], added, 'or'), 'a=1|z=9'],
    ['a=1&b=2', (filter) => combineAt(filter, [], added, 'or'), 'a=1&b=2|z=9'],
    ['a=1&b=2', (filter) => switchAt(filter, []), 'a=1|b=2'],
    ['a=1&(b=2|c=3)', (filter) => switchAt(filter, [1]), 'a=1&(b=2&c=3)'],
    ['a=1&b=2&c=3', (filter) => groupWithNext(filter, [1]), 'a=1&(b=2|c=3)'],
    ['a=1|b=2|c=3', (filter) => groupWithNext(filter, [0]), 'a=1&b=2|c=3'],
    ['a=1&b=2', (filter) => groupWithNext(filter, [0]), 'a=1|b=2'],
    ['a=1&b=2', (filter) => groupWithNext(filter, [1]), 'a=1&b=2'],
    ['a=1&(b=2|c=3)&d=4', (filter) => ungroupAt(filter, [1]), 'a=1&b=2&c=3&d=4'],
    ['a=1|b=2', (filter) => ungroupAt(filter, []), 'a=1|b=2'],
    ['a=1&(b=2|c=3|d=4)', (filter) => moveOut(filter, [1, 1]), 'a=1&(b=2|d=4)&c=3'],
    ['a=1&(b=2|c=3)', (filter) => moveOut(filter, [1, 0]), 'a=1&c=3&b=2'],
    ['a=1&b=2', (filter) => moveOut(filter, [1]), 'a=1&b=2'],
    ['a=1&(b=2|c=3)', (filter) => moveInto(filter, [0], 'after'), 'a=1|b=2|c=3'],
    ['a=1&(b=2|c=3)&d=4', (filter) => moveInto(filter, [2], 'before'), 'a=1&(b=2|c=3|d=4)'],
    ['a=1&b=2', (filter) => moveInto(filter, [0], 'after'), 'a=1&b=2'],
  ])('%s %s', (text, edit, expected) => {
    expect(print(edit(parsedFilter(text)))).toBe(expected);
  });

  test.each<[string, Path, string]>([
    ['a=1', [], ''],
    ['a=1&b=2&c=3', [1], 'a=1&c=3'],
    ['a=1|b=2', [0], ''],
    ['a=1&(b=2|c=3)', [1, 0], 'a=1'],
    ['a=1&(b=2&c=3|d=4)', [1, 0, 1], 'a=1&b=2'],
    ['a=1&(b=2|c=3)', [0], 'b=2|c=3'],
    // Of conditions that are not there yet.
    ['a=1', [1], 'a=1'],
    ['a=1&b=2', [2], 'a=1&b=2'],
    ['a=1|b=2', [2], ''],
    ['a=1&(b=2|c=3)', [1, 2], 'a=1'],
    ['a=1&b=2', [1, 1], 'a=1&b=2'],
  ])('the context in %s of %s', (text, path, expected) => {
    expect(print(contextAt(parsedFilter(text), path))).toBe(expected);
  });

  const parts = filters.chain((filter) => fc.constantFrom(...pathsOf(filter)).map((path) => ({ filter, path })));

  test('whatever is removed or replaced, all other conditions stay, in their order', () => {
    fc.assert(
      fc.property(parts, ({ filter, path }) => {
        const texts = conditionsOf(filter).map(print);
        const inside = conditionsOf(partAt(filter, path)).length;
        const start = conditionsBefore(filter, path);
        expect(conditionsOf(removeAt(filter, path)).map(print)).toEqual(texts.toSpliced(start, inside));
        expect(conditionsOf(replaceAt(filter, path, added)).map(print)).toEqual(texts.toSpliced(start, inside, 'z=9'));
        for (const edit of [switchAt, ungroupAt, groupWithNext])
          expect(conditionsOf(edit(filter, path)).map(print)).toEqual(texts);
        for (const moved of [moveOut(filter, path), moveInto(filter, path, 'before'), moveInto(filter, path, 'after')])
          expect(conditionsOf(moved).map(print).toSorted()).toEqual(texts.toSorted());
      }),
    );
  });

  test('every edit of a filter can be printed and read again', () => {
    fc.assert(
      fc.property(parts, ({ filter, path }) => {
        const edits = [
          removeAt(filter, path),
          addAt(filter, path, added),
          combineAt(filter, path, added, 'or'),
          switchAt(filter, path),
          groupWithNext(filter, path),
          ungroupAt(filter, path),
          moveOut(filter, path),
          moveInto(filter, path, 'after'),
        ];
        for (const edited of edits)
          if (edited !== undefined) expect(print(parsedFilter(print(edited)))).toBe(print(edited));
      }),
    );
  });

  test('what is added last can be removed', () => {
    fc.assert(
      fc.property(parts, ({ filter, path }) => {
        const part = partAt(filter, path);
        const index = part === undefined || isCondition(part) ? 1 : part.operands.length;
        expect(print(removeAt(addAt(filter, path, added, 'or'), [...path, index]))).toBe(print(filter));
      }),
    );
  });
});

function pathsOf(filter: Filter, path: Path = []): readonly Path[] {
  if (isCondition(filter)) return [path];
  return [path, ...filter.operands.flatMap((operand, index) => pathsOf(operand, [...path, index]))];
}

/** How many conditions are to the left of a part. */
function conditionsBefore(filter: Filter, path: Path): number {
  const [index = 0, ...rest] = path;
  if (path.length === 0 || isCondition(filter)) return 0;
  const inner = filter.operands[index];
  const left = filter.operands.slice(0, index).flatMap(conditionsOf).length;
  return left + (inner === undefined ? 0 : conditionsBefore(inner, rest));
}
