/** What `stockbook top` shows. */

import { expect, test } from 'vitest';
import type { Status } from '../../src/admin/status.ts';
import { topLines } from '../../src/cli/top-lines.ts';

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
  accounts: [],
  keys: [],
  filters: [],
};

const BUSY: Status = {
  ...EMPTY,
  workers: { responsive: 1, unresponsive: 1 },
  total: use(15.25, 7.5),
  accounts: [
    { account: 'acme', ...use(12, 3.14), revisions: { product: 7, partner: 2 } },
    { account: 'globex', ...use(3.25, 1_500), revisions: {} },
  ],
  keys: [{ account: 'acme', key: 'abc', ...use(12, 3.14) }],
  filters: [
    { account: 'acme', route: '/api/v1/inventory/product', filter: 'a\x1b[31m*…', requests: 3, slowest: 250, last: 0 },
  ],
};

test('rates, revisions and slow filters are in columns', () => {
  expect(topLines(BUSY, 'r')).toEqual([
    'Stockbook 1.2.3, up 2 d 3:04:05, 1 worker (1 more do not respond): 15.3 requests/s, 0.0 errors/s, 1,234 rows/s, p95 7.5 ms',
    '',
    'ACCOUNT  REQ/S  ERR/S  ROWS/S     P95  REVISIONS',
    'acme      12.0    0.0   1,234  3.1 ms  product 7, partner 2',
    'globex     3.3    0.0   1,234   1.5 s',
    '',
    'KEY  ACCOUNT  REQ/S  ERR/S  ROWS/S     P95',
    'abc  acme      12.0    0.0   1,234  3.1 ms',
    '',
    'SLOWEST  TIMES  ACCOUNT  ROUTE                      FILTER',
    ' 250 ms      3  acme     /api/v1/inventory/product  a�[31m*…',
  ]);
});

test('rows are sorted by any column', () => {
  const accounts = (key: 'r' | 'p') =>
    topLines(BUSY, key)
      .slice(3, 5)
      .map((line) => line.split(' ')[0]);
  expect(accounts('r')).toEqual(['acme', 'globex']);
  expect(accounts('p')).toEqual(['globex', 'acme']);
});

test('an idle service says so', () => {
  const lines = topLines(EMPTY, 'r');
  expect(lines).toContain('No requests with a key in the last 15 seconds.');
  expect(lines).toContain('No slow filters in the last minute.');
});

test('lines fit on the screen', () => {
  const accounts = Array.from({ length: 50 }, (_, n) => ({ account: `account-${n}`, ...use(n, 1), revisions: {} }));
  const lines = topLines({ ...BUSY, accounts }, 'r', { columns: 40, rows: 24 });
  expect(lines.length).toBeLessThanOrEqual(22);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(40);
});
