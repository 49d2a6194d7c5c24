/** What `stockbook top` shows, line by line. */

import type { AccountStatus, KeyStatus, Status, Use } from '../admin/status.ts';
import type { SlowFilter } from '../metrics/slow-filters.ts';
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

/** Lines around the three tables, and below them. */
const OTHER_LINES = 10;

/** Without a size, everything is shown. */
export function topLines(status: Status, sortKey: SortKey, size?: ScreenSize): readonly string[] {
  const most = size === undefined ? Number.POSITIVE_INFINITY : Math.max(3, Math.floor((size.rows - OTHER_LINES) / 3));
  const { value } = sortKeys[sortKey];
  const sorted = <Row extends Use>(rows: readonly Row[]) => rows.toSorted((a, b) => value(b) - value(a)).slice(0, most);
  const lines = [
    summary(status),
    '',
    ...table(ACCOUNT_COLUMNS, sorted(status.accounts).map(accountCells)),
    ...(status.accounts.length === 0 ? [`No requests with a key in the last ${status.window} seconds.`] : []),
    '',
    ...table(KEY_COLUMNS, sorted(status.keys).map(keyCells)),
    '',
    ...table(FILTER_COLUMNS, status.filters.slice(0, most).map(filterCells)),
    ...(status.filters.length === 0 ? ['No slow filters in the last minute.'] : []),
  ].map(harmless);
  return size === undefined ? lines : lines.map((line) => [...line].slice(0, size.columns).join(''));
}

/** `Stockbook 0.1.0, up 3:04:05, 2 workers: 12.3 requests/s, 0.1 errors/s, 120 rows/s, p95 3.2 ms` */
function summary({ version, uptime, workers, total }: Status): string {
  const silent = workers.unresponsive === 0 ? '' : ` (${workers.unresponsive} more do not respond)`;
  const rates = `${rate(total.requestsPerSecond)} requests/s, ${rate(total.errorsPerSecond)} errors/s, ${rate(total.rowsPerSecond)} rows/s`;
  const processes = `${count(workers.responsive, 'worker', 'workers')}${silent}`;
  return `Stockbook ${version}, up ${elapsed(uptime)}, ${processes}: ${rates}, p95 ${duration(total.p95)}`;
}

interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
}

const left = (title: string): Column => ({ title, align: 'left' });
const right = (title: string): Column => ({ title, align: 'right' });

const USE_COLUMNS = [right('REQ/S'), right('ERR/S'), right('ROWS/S'), right('P95')];
const ACCOUNT_COLUMNS = [left('ACCOUNT'), ...USE_COLUMNS, left('REVISIONS')];
const KEY_COLUMNS = [left('KEY'), left('ACCOUNT'), ...USE_COLUMNS];
const FILTER_COLUMNS = [right('SLOWEST'), right('TIMES'), left('ACCOUNT'), left('ROUTE'), left('FILTER')];

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

function table(columns: readonly Column[], rows: readonly (readonly string[])[]): readonly string[] {
  const all = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_, index) => Math.max(...all.map((row) => row[index]?.length ?? 0)));
  return all.map((row) =>
    columns
      .map(({ align }, index) => {
        const [cell = '', width = 0] = [row[index], widths[index]];
        return align === 'left' ? cell.padEnd(width) : cell.padStart(width);
      })
      .join('  ')
      .trimEnd(),
  );
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

/** A filter comes from a client, and must not control the operator's terminal. */
function harmless(line: string): string {
  return line.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '�');
}
