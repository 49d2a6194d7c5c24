/** Who used the service lately. */

import { describe, expect, test } from 'vitest';
import { combineTallies, isRest, RecentTallies, WINDOW } from '../../../src/observe/metrics/recent-tallies.ts';
import { combineFilters, SlowFilters } from '../../../src/observe/metrics/slow-filters.ts';
import { completed } from '../../support/completed.ts';

describe('tallies', () => {
  test('slide, and are forgotten after two windows', () => {
    let now = 0;
    const tallies = new RecentTallies(now);
    const requests = () => tallies.busiest(5, now).map(([name, tally]) => [name, tally.requests]);
    for (let n = 0; n < 10; n += 1) tallies.add('acme', completed({ status: n < 3 ? 404 : 200, rows: 2 }), now);
    expect(tallies.busiest(5, now)).toMatchObject([['acme', { requests: 10, errors: 3, rows: 20 }]]);
    now = WINDOW * 1.5;
    expect(requests()).toEqual([['acme', 5]]);
    tallies.add('acme', completed(), now);
    expect(requests()).toEqual([['acme', 6]]);
    now = WINDOW * 4;
    expect(requests()).toEqual([]);
  });

  test('of the least busy are one', () => {
    const tallies = new RecentTallies(0);
    for (const [name, count] of Object.entries({ a: 1, b: 3, c: 2, d: 1 }))
      for (let n = 0; n < count; n += 1) tallies.add(name, completed(), 0);
    const busiest = tallies.busiest(2, 0);
    expect(busiest.map(([name, { requests }]) => [isRest(name) ? 'rest' : name, requests])).toEqual([
      ['b', 3],
      ['c', 2],
      ['rest', 2],
    ]);
    const combined = combineTallies([busiest, busiest], 1);
    expect(combined.map(([name, { requests }]) => [isRest(name) ? 'rest' : name, requests])).toEqual([
      ['b', 6],
      ['rest', 8],
    ]);
  });

  test('are bounded, and nothing is lost', () => {
    const tallies = new RecentTallies(0);
    for (let n = 0; n < 5_000; n += 1) tallies.add(`account-${n}`, completed(), 0);
    const all = tallies.busiest(10_000, 0);
    expect(all.length).toBeLessThanOrEqual(1_001);
    expect(all.reduce((sum, [, { requests }]) => sum + requests, 0)).toBe(5_000);
  });
});

describe('slow filters', () => {
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
    for (let n = 0; n < 1_000; n += 1)
      filters.add(completed({ filter: `f${n}${'x'.repeat(10_000)}`, latency: 10 + n }));
    expect(filters.stats).toHaveLength(50);
    expect(filters.stats[0]).toMatchObject({ slowest: 1_009 });
    for (const { filter } of filters.stats) expect(filter.length).toBeLessThanOrEqual(200);
    expect(combineFilters([filters.stats, filters.stats])[0]).toMatchObject({ requests: 2, slowest: 1_009 });
  });
});
