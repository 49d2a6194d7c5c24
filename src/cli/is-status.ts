/** Whether a response has what `stockbook top` shows. The service may have another version, with other members besides. */

import type { Status } from '../observe/admin/status.ts';

export function isStatus(value: unknown): value is Status {
  return (
    hasMembers(value, { version: isText, uptime: isNumber, window: isNumber, total: isUse }) &&
    hasMembers(value, {
      workers: isWorkers,
      accounts: listOf(isAccount),
      refused: listOf(isRefused),
      keys: listOf(isKey),
      filters: listOf(isFilter),
    })
  );
}

type Check = (value: unknown) => boolean;

function hasMembers(value: unknown, checks: Readonly<Record<string, Check>>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const members = new Map<string, unknown>(Object.entries(value));
  return Object.entries(checks).every(([name, check]) => check(members.get(name)));
}

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number';

const isWorkers: Check = (value) => hasMembers(value, { responsive: isNumber, unresponsive: isNumber });

const RATES = { requestsPerSecond: isNumber, errorsPerSecond: isNumber, rowsPerSecond: isNumber, p95: isNumber };
const isUse: Check = (value) => hasMembers(value, RATES);

const isRevisions: Check = (value) =>
  typeof value === 'object' && value !== null && Object.values(value).every(isNumber);
const isAccount: Check = (value) => hasMembers(value, { ...RATES, account: isText, revisions: isRevisions });
const isKey: Check = (value) => hasMembers(value, { ...RATES, account: isText, key: isText });

const isRefused: Check = (value) => hasMembers(value, { ...RATES, problem: isText, status: isNumber });

const isFilter: Check = (value) =>
  hasMembers(value, { account: isText, route: isText, filter: isText, requests: isNumber, slowest: isNumber });
