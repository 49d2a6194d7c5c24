/** What `stockbook top` shows, line by line. */

import type { AccountStatus, KeyStatus, RefusedStatus, Status, Use } from '../observe/admin/status.ts';
import type { SlowFilter } from '../observe/metrics/slow-filters.ts';
import { type Column, fittedTable, wrapped } from './fitted-table.ts';
import { count, withSeparators } from './output.ts';

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

export const sortKeys = {
  r: { title: 'requests', value: (use: Use) => use.requestsPerSecond },
  e: { title: 'errors', value: (use: Use) => use.errorsPerSecond },
  w: { title: 'rows', value: (use: Use) => use.rowsPerSecond },
  p: { title: 'p95', value: (use: Use) => use.p95 },
} as const;

export type SortKey = keyof typeof sortKeys;

export function isSortKey(key: string): key is SortKey {
  return Object.hasOwn(sortKeys, key);
}

/** Below the tables: an empty line, the help, which may need two lines, and the line of the cursor. */
const FOOTER_LINES = 4;

/** Titles of the other tables, and the empty lines between them. */
const TITLE_LINES = 5;

/** The minimum number of rows of a table. */
const MIN_ROWS = 3;

/** Without a size, everything is shown. */
export function topLines(status: Status, sortKey: SortKey, size?: ScreenSize): readonly string[] {
  const columns = size?.columns ?? Number.POSITIVE_INFINITY;
  const top = [...summary(status).flatMap((text) => wrapped(text, columns)), '', ...refusedLines(status, columns)];
  const room = (size?.rows ?? Number.POSITIVE_INFINITY) - top.length - TITLE_LINES - FOOTER_LINES;
  const most = Math.max(MIN_ROWS, Math.floor(room / 3));
  const { value } = sortKeys[sortKey];
  const sorted = <Row extends Use>(rows: readonly Row[]) => rows.toSorted((a, b) => value(b) - value(a)).slice(0, most);
  const { window, accounts, keys, filters } = status;
  return [
    ...top,
    ...fittedTable(ACCOUNT_COLUMNS, sorted(accounts).map(accountCells), columns),
    ...(accounts.length === 0 ? wrapped(`No requests with a key in the last ${window} seconds.`, columns) : []),
    '',
    ...fittedTable(KEY_COLUMNS, sorted(keys).map(keyCells), columns),
    '',
    ...fittedTable(FILTER_COLUMNS, filters.slice(0, most).map(filterCells), columns),
    ...(filters.length === 0 ? wrapped('No slow filters in the last minute.', columns) : []),
  ];
}

/** Somebody may be guessing keys, or use one that has ended. */
function refusedLines({ refused }: Status, columns: number): readonly string[] {
  return refused.length === 0 ? [] : [...fittedTable(REFUSED_COLUMNS, refused.map(refusedCells), columns), ''];
}

/**
 *     Stockbook 0.1.0, up 3:04:05, 2 workers
 *     12.3 requests/s, 0.1 errors/s, 120 rows/s, p95 3.2 ms
 */
function summary({ version, uptime, workers, total }: Status): readonly string[] {
  const silent = workers.unresponsive === 0 ? '' : ` (${workers.unresponsive} more do not respond)`;
  const processes = `${count(workers.responsive, 'worker', 'workers')}${silent}`;
  return [
    `Stockbook ${version}, up ${elapsed(uptime)}, ${processes}`,
    `${rate(total.requestsPerSecond)} requests/s, ${rate(total.errorsPerSecond)} errors/s, ${rate(total.rowsPerSecond)} rows/s, p95 ${duration(total.p95)}`,
  ];
}

const left = (title: string, options: Pick<Column, 'least' | 'rank'> = {}): Column => ({
  title,
  align: 'left',
  ...options,
});
const right = (title: string, rank?: number): Column => ({
  title,
  align: 'right',
  ...(rank !== undefined && { rank }),
});

/** The shortest name of an account, or filter, that is of any use. */
const SHORT = 8;

const USE_COLUMNS = [right('REQ/S'), right('ERR/S'), right('ROWS/S', 2), right('P95', 3)];
const ACCOUNT_COLUMNS = [left('ACCOUNT', { least: SHORT }), ...USE_COLUMNS, left('REVISIONS', { least: 20, rank: 1 })];
const REFUSED_COLUMNS = [left('NO VALID KEY'), right('STATUS'), right('REQ/S'), right('P95', 1)];
const KEY_COLUMNS = [left('KEY'), left('ACCOUNT', { least: SHORT }), ...USE_COLUMNS];
const FILTER_COLUMNS = [
  right('SLOWEST'),
  right('TIMES', 1),
  left('ACCOUNT', { least: SHORT }),
  left('ROUTE', { least: 16, rank: 2 }),
  left('FILTER', { least: SHORT }),
];

function rateCells({ requestsPerSecond, errorsPerSecond, rowsPerSecond, p95 }: Use): readonly string[] {
  return [rate(requestsPerSecond), rate(errorsPerSecond), rate(rowsPerSecond), duration(p95)];
}

function accountCells(status: AccountStatus): readonly string[] {
  const revisions = Object.entries(status.revisions).map(([resource, revision]) => `${resource} ${revision}`);
  return [status.account, ...rateCells(status), revisions.join(', ')];
}

function keyCells(status: KeyStatus): readonly string[] {
  return [status.key, status.account, ...rateCells(status)];
}

function filterCells({ slowest, requests, account, route, filter }: SlowFilter): readonly string[] {
  return [duration(slowest), String(requests), account, route, filter];
}

function refusedCells({ problem, status, requestsPerSecond, p95 }: RefusedStatus): readonly string[] {
  return [problem, String(status), rate(requestsPerSecond), duration(p95)];
}

function rate(perSecond: number): string {
  return perSecond < 100 ? perSecond.toFixed(1) : withSeparators(Math.round(perSecond));
}

/** `3.2 ms`, `120 ms`, `4.5 s` */
function duration(milliseconds: number): string {
  if (milliseconds >= 1_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  return `${milliseconds.toFixed(milliseconds < 100 ? 1 : 0)} ms`;
}

/** `3:04:05`, `2 d 3:04:05` */
function elapsed(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  const parts = [Math.floor((seconds % 86_400) / 3_600), Math.floor((seconds % 3_600) / 60), Math.floor(seconds % 60)];
  const time = parts.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
  return days === 0 ? time : `${days} d ${time}`;
}
