/** Ranges and periods: every value is in the group that its ends describe. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_GROUPS } from '../../../../src/plan/aggregate.ts';
import type { GroupBy, Period } from '../../../../src/plan/plan.ts';
import { Column } from '../../../../src/store/column-index/thread/column.ts';
import { type Grouping, type GroupKey, group } from '../../../../src/store/column-index/thread/grouping.ts';
import { rounds } from '../../../support/rounds.ts';

function columnOf(storage: Column['storage'], values: readonly (number | string | null)[]): Column {
  const column = new Column(storage);
  for (const value of values) column.push(value);
  return column;
}

/** Takes all steps at once. */
function grouped(column: Column, by: GroupBy): Grouping & { readonly groupOf: readonly number[] } {
  const steps = group(column, by);
  let step = steps.next();
  while (!step.done) step = steps.next();
  if (step.value === undefined) throw new Error('there are too many groups');
  const grouping = step.value;
  const placesOf = grouping.placesBy(Uint32Array.from(grouping.keys.keys()));
  return { ...grouping, groupOf: Array.from(column.blocks(), (numbers) => [...placesOf(numbers)]).flat() };
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

  test.each<[string, Period, string | undefined, string | undefined, string]>([
    ['America/Los_Angeles', 'day', '2026-03-08T08:00:00.000Z', '2026-03-09T07:00:00.000Z', '2026-03-09T06:59:59.999Z'],
    ['America/Los_Angeles', 'day', '2026-11-01T07:00:00.000Z', '2026-11-02T08:00:00.000Z', '2026-11-01T09:30:00.000Z'],
    ['Asia/Kolkata', 'week', '2026-11-15T18:30:00.000Z', '2026-11-22T18:30:00.000Z', '2026-11-22T12:00:00.000Z'],
    ['Europe/Berlin', 'month', '2026-02-28T23:00:00.000Z', '2026-03-31T22:00:00.000Z', '2026-03-31T12:00:00.000Z'],
    ['Europe/Berlin', 'year', '1879-12-31T23:06:32.000Z', '1880-12-31T23:06:32.000Z', '1880-06-01T00:00:00.000Z'],
    // Here clocks are turned at midnight.
    ['America/Santiago', 'day', '2026-09-06T04:00:00.000Z', '2026-09-07T03:00:00.000Z', '2026-09-06T04:00:00.000Z'],
    ['America/Havana', 'day', '2026-11-01T04:00:00.000Z', '2026-11-02T05:00:00.000Z', '2026-11-01T04:00:00.000Z'],
    // One day of this week was left out.
    ['Pacific/Apia', 'week', '2011-12-26T10:00:00.000Z', '2012-01-01T10:00:00.000Z', '2011-12-30T10:00:00.000Z'],
    ['Europe/Berlin', 'day', undefined, '0001-01-01T23:06:32.000Z', '0001-01-01T00:00:00.000Z'],
    ['America/Los_Angeles', 'year', '9999-01-01T08:00:00.000Z', undefined, '9999-12-31T23:59:59.999Z'],
  ])('in %s: the %s from %s to %s contains %s', (zone, period, from, to, time) => {
    const { keys } = grouped(columnOf('timestamp', [time]), { kind: 'period', period, zone });
    expect(keys).toEqual([{ kind: 'range', from, to }]);
  });

  test.each(['America/Los_Angeles', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Boa_Vista', 'Africa/Casablanca'])(
    'in %s: days have all times at which the calendar shows them, and no others',
    (zone) => {
      const calendar = new Intl.DateTimeFormat('en-CA', { timeZone: zone });
      const times = fc.date({
        min: new Date('1900-01-01T00:00Z'),
        max: new Date('2600-01-01T00:00Z'),
        noInvalidDate: true,
      });
      fc.assert(
        fc.property(fc.array(times, { minLength: 1, maxLength: 50 }), (dates) => {
          const column = columnOf(
            'timestamp',
            dates.map((date) => date.toISOString()),
          );
          const { keys, groupOf } = grouped(column, { kind: 'period', period: 'day', zone });
          for (const [row, date] of dates.entries()) {
            const key = keys[groupOf[row] ?? -1];
            if (key?.kind !== 'range') throw new Error('it is not a range');
            const [from, to] = [Date.parse(String(key.from)), Date.parse(String(key.to))];
            const shown = [from - 1, from, date.getTime(), to - 1, to].map((time) => calendar.format(time));
            expect(shown.map((day) => day === calendar.format(date))).toEqual([false, true, true, true, false]);
          }
        }),
        { numRuns: rounds(20, 300) },
      );
    },
  );
});

test('a facet has a limited number of groups', () => {
  const values = Array.from({ length: MAX_GROUPS }, (_, n) => n);
  expect(grouped(columnOf('integer', values), { kind: 'value' }).keys).toHaveLength(MAX_GROUPS);
  expect(() => grouped(columnOf('integer', [...values, -1]), { kind: 'value' })).toThrow('too many');
});
