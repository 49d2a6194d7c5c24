/** Times as people write them. */

import { expect, test } from 'vitest';
import { meantTime, periodOf } from '../../src/plan/meant-time.ts';

const NOW = Date.parse('2026-03-01T10:00:00.000Z');

test.each([
  ['yesterday', '2026-02-28'],
  ['Today', '2026-03-01'],
  ['tomorrow', '2026-03-02'],
  ['now', '2026-03-01T10:00:00.000Z'],
  ['now()', '2026-03-01T10:00:00.000Z'],
  ['7 days ago', '2026-02-22'],
  ['last 2 weeks', '2026-02-15'],
  ['now-30d', '2026-01-30'],
  ['-1d', '2026-02-28'],
  ['2025', '2025-01-01'],
  ['2025-11', '2025-11-01'],
  ['2025-13', undefined],
  ['someday', undefined],
])('%s means %s', (text, meant) => {
  expect(meantTime(text, '>', NOW)).toBe(meant);
});

test('a year, a month and a day are periods', () => {
  expect(['2024', '2024-02', '2024-12', '2024-02-29', '2023-02-29', '9999', 'x'].map(periodOf)).toEqual([
    { from: '2024-01-01', until: '2025-01-01' },
    { from: '2024-02-01', until: '2024-03-01' },
    { from: '2024-12-01', until: '2025-01-01' },
    { from: '2024-02-29', until: '2024-03-01' },
    undefined,
    undefined,
    undefined,
  ]);
});
