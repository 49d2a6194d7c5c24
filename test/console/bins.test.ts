/** Histograms: the bars between those that the service has counted, and where a range is among them. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { binsOf, bodyOf, countIn, stretchOf, wholeBins, withTails } from '../../console/src/summary/bins.ts';
import type { RangeGroup } from '../../console/src/summary/facet.ts';
import { nextPeriod, periodFor } from '../../console/src/summary/period.ts';

function group(from: number | string | null, to: number | string | null, count: number): RangeGroup {
  return { from, to, count };
}

test('empty ranges are filled in, whatever the order', () => {
  const groups = [group(0.3, 0.4, 5), group(0, 0.1, 3)];
  expect(binsOf(groups, undefined).map(({ from, to, count }) => [from, to, count])).toEqual([
    [0, 0.1, 3],
    [0.1, 0.2, 0],
    [0.2, 0.3, 0],
    [0.3, 0.4, 5],
  ]);
});

test('empty months are filled in', () => {
  const month = (number: number) => new Date(Date.UTC(2024, number, 1)).toISOString();
  const bins = binsOf([group(month(11), month(12), 1), group(month(14), month(15), 1)], 'month');
  expect(bins.map(({ from }) => from)).toEqual([month(11), month(12), month(13), month(14)]);
});

test('a gap with too many ranges is one', () => {
  const bins = binsOf([group(0, 1, 1), group(1e9, 1e9 + 1, 1)], undefined);
  expect(bins.map(({ from, to }) => [from, to])).toEqual([
    [0, 1],
    [1, 1e9],
    [1e9, 1e9 + 1],
  ]);
});

test('open ends stay open', () => {
  const bins = binsOf([group(null, -1e308, 1), group(1e308, null, 2)], undefined);
  expect([bins.at(0)?.from, bins.at(-1)?.to]).toEqual([null, null]);
  expect(stretchOf(bins, { from: undefined, to: 0 })?.[0]).toBe(0);
});

test('bins are adjacent, in order, and lose no record', () => {
  const ranges = fc
    .tuple(
      fc.constantFrom(0.01, 0.1, 0.25, 1, 5, 50, 1e6),
      fc.uniqueArray(fc.integer({ min: -60, max: 60 }), { minLength: 1, maxLength: 40 }),
    )
    .map(([width, places]) =>
      places.map((place) => {
        const edge = (index: number) => Number((index * width).toPrecision(12));
        return group(edge(place), edge(place + 1), 1);
      }),
    );
  fc.assert(
    fc.property(ranges, (groups) => {
      const bins = binsOf(groups, undefined);
      expect(countIn(bins, [0, bins.length])).toBe(groups.length);
      for (const [index, { from, to }] of bins.entries()) {
        expect(Number(from)).toBeLessThan(Number(to));
        if (index > 0) expect(from).toBe(bins[index - 1]?.to);
      }
      // Selecting bins and reading the selection back is the same.
      for (const [index, { from, to }] of bins.entries()) {
        const stretch = stretchOf(bins, { from: Number(from), to: Number(to) });
        expect(stretch && wholeBins(bins, stretch)).toEqual([index, index + 1]);
      }
    }),
  );
});

test('a range beyond the bars covers none of them', () => {
  const bins = binsOf([group(0, 1, 1), group(1, 2, 1)], undefined);
  expect(stretchOf(bins, { from: 5, to: 6 })).toBeUndefined();
  expect(stretchOf(bins, { from: 0.5, to: undefined })).toEqual([0.5, 2]);
});

const binsWith = (counts: readonly number[]) => counts.map((count, place) => group(place, place + 1, count));

test('the body is where nearly all records are, if that is a small part of the chart', () => {
  const empty = Array(20).fill(0);
  expect(bodyOf(binsWith([990, ...empty, 10]))).toEqual([0, 1]);
  expect(bodyOf(binsWith([5, ...empty, 990, ...empty, 5]))).toEqual([21, 22]);
  // What is beside it belongs to it.
  expect(bodyOf(binsWith([5, 990, 3, ...empty, 2]))).toEqual([0, 3]);
  expect(bodyOf(binsWith([900, ...empty, 100]))).toBeUndefined();
  expect(bodyOf(binsWith(Array(36).fill(10)))).toBeUndefined();
  expect(bodyOf(binsWith([990, 10]))).toBeUndefined();
  expect(bodyOf([])).toBeUndefined();
});

test('tails are adjacent to the other bins, and lose no record', () => {
  const bins = withTails(
    [group(100, 110, 50), group(110, 120, 40)],
    [group(0, 100, 3)],
    [group(200, 300, 0), group(300, 400, 7)],
  );
  expect(bins.map(({ from, to, count }) => [from, to, count])).toEqual([
    ...[
      [0, 100, 3],
      [100, 110, 50],
      [110, 120, 40],
      [120, 400, 7],
    ],
  ]);
  expect(withTails([group(0, 1, 1)], [], [group(5, 6, 0)])).toHaveLength(1);
});

test('periods are as short as fits', () => {
  const day = 86_400_000;
  const start = Date.parse('2024-01-01T00:00:00.000Z');
  expect([7, 60, 300, 1_000, 9_000].map((days) => periodFor(start, start + days * day))).toEqual([
    ...['day', 'day', 'week', 'month', 'year'],
  ]);
  expect(nextPeriod('2024-02-29T00:00:00.000Z', 'day')).toBe('2024-03-01T00:00:00.000Z');
  expect(nextPeriod('2024-12-01T00:00:00.000Z', 'month')).toBe('2025-01-01T00:00:00.000Z');
  expect(nextPeriod('2024-01-01T00:00:00.000Z', 'year')).toBe('2025-01-01T00:00:00.000Z');
});
