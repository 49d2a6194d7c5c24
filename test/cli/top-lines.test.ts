/** What `stockbook top` shows. */

import { describe, expect, test } from 'vitest';
import { wrapped } from '../../src/cli/fitted-table.ts';
import { topLines } from '../../src/cli/top-lines.ts';
import type { Status } from '../../src/observe/admin/status.ts';

const use = (requestsPerSecond: number, p95: number) => ({
  requestsPerSecond,
  errorsPerSecond: 0,
  rowsPerSecond: 1_234,
  p95,
});

const EMPTY: Status = {
  version: '1.2.3',
  uptime: 183_845,
  window: 15,
  workers: { responsive: 2, unresponsive: 0 },
  total: use(0, 0),
  refused: [],
  accounts: [],
  keys: [],
  filters: [],
};

const BUSY: Status = {
  ...EMPTY,
  workers: { responsive: 1, unresponsive: 1 },
  total: use(15.25, 7.5),
  accounts: [
    { account: 'acme', ...use(12, 3.14), revisions: { product: 7, partner: 2 }, storage: undefined },
    { account: 'globex', ...use(3.25, 1_500), revisions: {}, storage: undefined },
  ],
  refused: [
    { problem: 'too_many_failed_attempts', status: 429, ...use(80, 0.1) },
    { problem: 'key_not_accepted', status: 401, ...use(2, 0.25) },
  ],
  keys: [{ account: 'acme', key: 'dTWKLR8ZCHlf', ...use(12, 3.14) }],
  filters: [
    { account: 'acme', route: '/api/v1/inventory/product', filter: 'a\x1b[31m*…', requests: 3, slowest: 250, last: 0 },
  ],
};

test('rates, revisions, refused requests and slow filters are in columns', () => {
  expect(topLines(BUSY, 'r')).toEqual([
    'Stockbook 1.2.3, up 2 d 3:04:05, 1 worker (1 more do not respond)',
    '15.3 requests/s, 0.0 errors/s, 1,234 rows/s, p95 7.5 ms',
    '',
    'NO VALID KEY              STATUS  REQ/S     P95',
    'too_many_failed_attempts     429   80.0  0.1 ms',
    'key_not_accepted             401    2.0  0.3 ms',
    '',
    'ACCOUNT  REQ/S  ERR/S  ROWS/S     P95  REVISIONS',
    'acme      12.0    0.0   1,234  3.1 ms  product 7, partner 2',
    'globex     3.3    0.0   1,234   1.5 s',
    '',
    'KEY           ACCOUNT  REQ/S  ERR/S  ROWS/S     P95',
    'dTWKLR8ZCHlf  acme      12.0    0.0   1,234  3.1 ms',
    '',
    'SLOWEST  TIMES  ACCOUNT  ROUTE                      FILTER',
    String.raw` 250 ms      3  acme     /api/v1/inventory/product  a\u001b[31m*…`,
  ]);
});

test('rows are sorted by any column', () => {
  const accounts = (key: 'r' | 'p') =>
    topLines(BUSY, key)
      .slice(8, 10)
      .map((line) => line.split(' ')[0]);
  expect(accounts('r')).toEqual(['acme', 'globex']);
  expect(accounts('p')).toEqual(['globex', 'acme']);
});

test('an idle service says so', () => {
  const lines = topLines(EMPTY, 'r');
  expect(lines).toContain('No requests with a key in the last 15 seconds.');
  expect(lines).toContain('No slow filters in the last minute.');
});

describe('on a screen', () => {
  const name = (n: number) => `account-${n}-${'x'.repeat(50)}`;
  const status: Status = {
    ...BUSY,
    accounts: Array.from({ length: 50 }, (_, n) => ({
      account: name(n),
      ...use(n, 1),
      revisions: { product: 123_456 },
      storage: undefined,
    })),
    keys: Array.from({ length: 50 }, (_, n) => ({ account: name(n), key: 'dTWKLR8ZCHlf', ...use(n, 1) })),
    filters: Array.from({ length: 50 }, () => ({
      account: name(0),
      route: '/api/v1/inventory/product/aggregate',
      filter: `name*…&${'a=…&'.repeat(50)}`,
      requests: 3,
      slowest: 250,
      last: 0,
    })),
  };

  test.each([
    [
      80,
      [
        'NO VALID KEY              STATUS  REQ/S     P95',
        /^ACCOUNT {14,} REQ\/S {2}ERR\/S {2}ROWS\/S {5}P95 {2}REVISIONS$/,
        /^account-49-x+… +49\.0 +0\.0 +1,234 +1\.0 ms {2}product 123456$/,
        /^KEY {11}ACCOUNT {10,} REQ\/S {2}ERR\/S {2}ROWS\/S {5}P95$/,
        /^SLOWEST {2}TIMES {2}ACCOUNT +ROUTE +FILTER$/,
        /^ 250 ms {6}3 {2}account-0-x+… {2}\/api\/v1\/inventory\S+… {2}name\S+…$/,
      ],
    ],
    [
      40,
      [
        'NO VALID KEY              STATUS  REQ/S',
        /^ACCOUNT +REQ\/S {2}ERR\/S {2}ROWS\/S {5}P95$/,
        /^accoun.*… +49\.0 +0\.0 +1,234 +1\.0 ms$/,
        /^KEY {11}ACCOUNT +REQ\/S {2}ERR\/S$/,
        /^SLOWEST {2}ACCOUNT +FILTER$/,
      ],
    ],
  ])('of %i columns, names are shortened and what matters is there', (columns, expected) => {
    const lines = topLines(status, 'r', { columns, rows: 30 });
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    for (const line of expected)
      expect(lines).toContainEqual(typeof line === 'string' ? line : expect.stringMatching(line));
    // With the help and the line of the cursor.
    expect(lines.length + 4).toBeLessThanOrEqual(30);
  });

  test('long notes are wrapped', () => {
    expect(wrapped('No service answers. Start one.', 20)).toEqual(['No service answers.', 'Start one.']);
    expect(wrapped('x'.repeat(21), 20)).toEqual([`${'x'.repeat(19)}…`]);
  });
});
