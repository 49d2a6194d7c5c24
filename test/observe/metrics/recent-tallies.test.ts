/** Tallies of the recent past. */

import { expect, test } from 'vitest';
import { combineTallies, isRest, RecentTallies, WINDOW } from '../../../src/observe/metrics/recent-tallies.ts';
import { completed } from '../../support/completed.ts';

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
