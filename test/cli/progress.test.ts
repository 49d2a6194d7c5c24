/** What a long command says about its progress. */

import { expect, test } from 'vitest';
import { progressText } from '../../src/cli/progress.ts';
import { LoadProgress } from '../../src/store/load-progress.ts';

test.each([
  [{ activity: 'Reading', rows: 430_000, fraction: 0.43 }, 4, 'Reading: 430,000 rows, 43%, 107,500 rows/s, 0:06 left'],
  [{ activity: 'Reading', rows: 1, fraction: undefined }, 1, 'Reading: 1 row, 1 rows/s'],
  [
    { activity: 'Writing', rows: 250_000, total: 1_000_000, fraction: 0.25 },
    30,
    'Writing: 250,000 of 1,000,000 rows, 25%, 8,333 rows/s, 1:30 left',
  ],
  [
    { activity: 'Committing', rows: 1_000_000, total: 1_000_000, fraction: undefined },
    5,
    'Committing: 1,000,000 rows, for 0:05',
  ],
])('%j after %d seconds', (progress, seconds, text) => {
  expect(progressText(progress, seconds)).toBe(text);
});

test('a load is as far as the statements of its phase that are finished', () => {
  const progress = new LoadProgress();
  expect(progress.current).toBeUndefined();
  progress.begin(['checking', 'checking', 'writing', 'writing', 'writing', 'writing']);
  const seen = [];
  for (let finished = 0; finished <= 6; finished += 1) {
    seen.push(progress.current);
    Atomics.add(progress.finished, 0, 1);
  }
  expect(seen).toEqual([
    { phase: 'checking', fraction: 0 },
    { phase: 'checking', fraction: 0.5 },
    ...[0, 0.25, 0.5, 0.75].map((fraction) => ({ phase: 'writing', fraction })),
    { phase: 'committing', fraction: undefined },
  ]);
});
