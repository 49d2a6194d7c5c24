/** Times as people write them. */

import { expect, test } from 'vitest';
import { meantTime, periodOf } from '../../src/plan/meant-time.ts';

const NOW = Date.parse('2026-03-01T10:00:00.000Z');

test.each<readonly [text: string, meant: string | undefined]>([
  ['yesterday', '2026-02-28'],
  ['Today', '2026-03-01'],
  ['tomorrow', '2026-03-02'],
  ['now', '2026-03-01T10:00:00.000Z'],
  ['now()', '2026-03-01T10:00:00.000Z'],
  [' today ', '2026-03-01'],
  ['7 days ago', '2026-02-22'],
  ['7days', '2026-02-22'],
  ['1 day ago', '2026-02-28'],
  ['10 days ago', '2026-02-19'],
  ['last 2 weeks', '2026-02-15'],
  ['last2w', '2026-02-15'],
  ['now-30d', '2026-01-30'],
  ['now() - 30 days', '2026-01-30'],
  ['today-1w', '2026-02-22'],
  ['-1d', '2026-02-28'],
  ['3 hours ago', '2026-03-01T07:00:00.000Z'],
  ['now-12h', '2026-02-28T22:00:00.000Z'],
  ['2025', '2025-01-01'],
  ['2025-11', '2025-11-01'],
  ['2025-11-05', '2025-11-05'],
  ...['2025-13', '2025-02-30', 'someday', 'right now', 'now or never', 'in 7 days', '7 days ago or so'].map(
    (text) => [text, undefined] as const,
  ),
  ...['the last 7 days', 'last7days!', 'yesterday-1d', 'now-1d 5', '7 months', 'days ago', '-d', '100000 days'].map(
    (text) => [text, undefined] as const,
  ),
])('%s means %s', (text, meant) => {
  expect(meantTime(text, '>', NOW)).toBe(meant);
});

test('with = and !=, a period is a range', () => {
  for (const operator of ['=', '!='] as const) {
    expect(meantTime('2025-11', operator, NOW)).toBeUndefined();
    expect(meantTime('yesterday', operator, NOW)).toBe('2026-02-28');
    expect(meantTime('7 days ago', operator, NOW)).toBe('2026-02-22');
  }
});

test('a year, a month and a day are periods', () => {
  expect(['0100', '2024', '2024-02', '2024-02-10', '2024-12', '2024-02-29', '9998-12-31'].map(periodOf)).toEqual([
    { from: '0100-01-01', until: '0101-01-01' },
    { from: '2024-01-01', until: '2025-01-01' },
    { from: '2024-02-01', until: '2024-03-01' },
    { from: '2024-02-10', until: '2024-02-11' },
    { from: '2024-12-01', until: '2025-01-01' },
    { from: '2024-02-29', until: '2024-03-01' },
    { from: '9998-12-31', until: '9999-01-01' },
  ]);
  for (const text of ['2024-00', '2024-13', '2023-02-29', '2024-02-00', '0000', '0099', '9999', '9999-12-31', 'x'])
    expect(periodOf(text)).toBeUndefined();
  for (const text of ['12024', '2024-1', '2024-01-1', '2024-01-01T00:00', 'in 2024', '2024?'])
    expect(periodOf(text)).toBeUndefined();
});
