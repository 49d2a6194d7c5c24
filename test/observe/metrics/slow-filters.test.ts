/** The slowest filters. */

import { expect, test } from 'vitest';
import { combineFilters, SlowFilters } from '../../../src/observe/metrics/slow-filters.ts';
import { completed } from '../../support/completed.ts';

test('are those that took the longest, without their values unless they are wanted', () => {
  for (const withValues of [false, true]) {
    const filters = new SlowFilters(withValues);
    filters.add(completed({ filter: 'fast=…', latency: 1 }));
    filters.add(completed({ filter: 'a=…', fullFilter: 'a=1', latency: 20 }));
    filters.add(completed({ filter: 'b=…', fullFilter: 'b=1', latency: 50 }));
    filters.add(completed({ filter: 'a=…', fullFilter: 'a=1', latency: 30 }));
    expect(filters.stats).toMatchObject([
      { filter: withValues ? 'b=1' : 'b=…', requests: 1, slowest: 50 },
      { filter: withValues ? 'a=1' : 'a=…', requests: 2, slowest: 30 },
    ]);
  }
});

test('are bounded in number and length, whatever clients send', () => {
  const filters = new SlowFilters(false);
  for (let n = 0; n < 1_000; n += 1) filters.add(completed({ filter: `f${n}${'x'.repeat(10_000)}`, latency: 10 + n }));
  expect(filters.stats).toHaveLength(50);
  expect(filters.stats[0]).toMatchObject({ slowest: 1_009 });
  for (const { filter } of filters.stats) expect(filter.length).toBeLessThanOrEqual(200);
  expect(combineFilters([filters.stats, filters.stats])[0]).toMatchObject({ requests: 2, slowest: 1_009 });
});
