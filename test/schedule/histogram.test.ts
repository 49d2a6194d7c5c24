/** Quantiles and sums of histograms. */

import { expect, test } from 'vitest';
import { Histogram, quantile, sumOf } from '../../src/schedule/histogram.ts';

const histogramOf = (...milliseconds: readonly number[]) => {
  const histogram = new Histogram();
  for (const each of milliseconds) histogram.add(each);
  return histogram.stats;
};

test('a quantile lies in the bucket of its duration', () => {
  expect(quantile(histogramOf(), 0.95)).toBe(0);
  const durations = histogramOf(...Array(90).fill(3), ...Array(10).fill(70));
  expect(quantile(durations, 0.5)).toBeGreaterThan(0.0025);
  expect(quantile(durations, 0.5)).toBeLessThanOrEqual(0.005);
  expect(quantile(durations, 0.95)).toBeGreaterThan(0.05);
  expect(quantile(durations, 0.95)).toBeLessThanOrEqual(0.07);
  expect(quantile(histogramOf(40_000), 0.95)).toBeGreaterThan(30);
});

test.each([[3], [3, 3, 3], [26, 49], [40_000], [0.1, 60_000], [2.5, 2.5]])(
  'no quantile of %j ms exceeds the longest duration, also of several processes',
  (...milliseconds) => {
    const longest = Math.max(...milliseconds) / 1_000;
    const both = sumOf([histogramOf(...milliseconds), histogramOf(0.01)]);
    for (const share of [0.5, 0.95, 1]) {
      expect(quantile(histogramOf(...milliseconds), share)).toBeLessThanOrEqual(longest);
      expect(quantile(both, share)).toBeLessThanOrEqual(longest);
    }
  },
);
