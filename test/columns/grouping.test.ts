/** Ranges and periods: every value is in the group that its ends describe. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Column } from '../../src/columns/column.ts';
import { type Grouping, type GroupKey, group, MAX_GROUPS } from '../../src/columns/grouping.ts';
import type { GroupBy, Period } from '../../src/plan/plan.ts';
import { rounds } from '../support/rounds.ts';

function columnOf(storage: Column['storage'], values: readonly (number | string | null)[]): Column {
  const column = new Column(storage);
  for (const value of values) column.push(value);
  return column;
}

/** Takes all steps at once. */
function grouped(column: Column, by: GroupBy): Grouping {
  const steps = group(column, by);
  let step = steps.next();
  while (!step.done) step = steps.next();
  if (step.value === undefined) throw new Error('there are too many groups');
  return step.value;
}

function ranges(storage: 'real' | 'integer', values: readonly (number | null)[], count: number): readonly GroupKey[] {
  return grouped(columnOf(storage, values), { kind: 'ranges', count }).keys;
}

function periodsOf(times: readonly string[], period: Period): readonly GroupKey[] {
  return grouped(columnOf('timestamp', times), { kind: 'period', period }).keys;
}

const range = (from: number | undefined, to: number | undefined) => ({ kind: 'range', from, to });

describe('ranges', () => {
  test.each([
    [[0, 12.5, 99.99], 10, [range(0, 10), range(10, 20), range(90, 100)]],
    [[0, 100], 3, [range(0, 50), range(100, 150)]],
    [[-3, 3], 2, [range(-5, 0), range(0, 5)]],
    [[0.1, 0.2, 0.3], 2, [range(0.1, 0.2), range(0.2, 0.3), range(0.3, 0.4)]],
    [[7, 7], 20, [range(0, 10)]],
    [[0], 20, [range(0, 1)]],
    [[null, 1], 1, [range(1, 2), { kind: 'value', value: null }]],
    [[null], 5, [{ kind: 'value', value: null }]],
    [[], 5, []],
  ])('of %j, about %i', (values, count, expected) => {
    expect(ranges('real', values, count)).toEqual(expected);
  });

  test('of integers have whole ends', () => {
    expect(ranges('integer', [1, 2, 4], 100)).toEqual([range(1, 2), range(2, 3), range(4, 5)]);
  });

  test('of any numbers: each is in its own, none is empty, and there are not many more than requested', () => {
    const numbers = fc.array(
      fc.oneof(
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.integer({ min: -10_000, max: 10_000 }).map((cents) => cents / 100),
        fc.constantFrom(Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324, 0),
      ),
      { minLength: 1 },
    );
    fc.assert(
      fc.property(numbers, fc.integer({ min: 1, max: 1_000 }), (values, count) => {
        const { keys, groupOf } = grouped(columnOf('real', values), { kind: 'ranges', count });
        expect(new Set(groupOf).size).toBe(keys.length);
        expect(keys.length).toBeLessThanOrEqual(count + 2);
        for (const [row, value] of values.entries()) {
          const key = keys[groupOf[row] ?? -1];
          if (key?.kind !== 'range') throw new Error('it is not a range');
          expect(value).toBeGreaterThanOrEqual(Number(key.from ?? Number.NEGATIVE_INFINITY));
          expect(value).toBeLessThan(Number(key.to ?? Number.POSITIVE_INFINITY));
        }
      }),
      { numRuns: rounds(300, 1_000) },
    );
  });
});

describe('periods', () => {
  test.each<[Period, string, string | undefined, string]>([
    ['day', '2026-02-28T00:00:00.000Z', '2026-03-01T00:00:00.000Z', '2026-02-28T23:59:59.999Z'],
    ['week', '2026-11-16T00:00:00.000Z', '2026-11-23T00:00:00.000Z', '2026-11-22T12:00:00.000Z'],
    ['week', '0001-01-01T00:00:00.000Z', '0001-01-08T00:00:00.000Z', '0001-01-01T00:00:00.000Z'],
    ['month', '2024-02-01T00:00:00.000Z', '2024-03-01T00:00:00.000Z', '2024-02-29T12:00:00.000Z'],
    ['month', '9999-12-01T00:00:00.000Z', undefined, '9999-12-31T23:59:59.999Z'],
    ['year', '1969-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z', '1969-12-31T23:59:59.999Z'],
    ['year', '0001-01-01T00:00:00.000Z', '0002-01-01T00:00:00.000Z', '0001-06-01T00:00:00.000Z'],
  ])('the %s from %s to %s contains %s', (period, from, to, time) => {
    expect(periodsOf([time], period)).toEqual([{ kind: 'range', from, to }]);
  });
});

test('a facet has a limited number of groups', () => {
  const values = Array.from({ length: MAX_GROUPS }, (_, n) => n);
  expect(grouped(columnOf('integer', values), { kind: 'value' }).keys).toHaveLength(MAX_GROUPS);
  expect(() => grouped(columnOf('integer', [...values, -1]), { kind: 'value' })).toThrow('too many');
});
