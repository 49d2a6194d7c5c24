/** What accounts may store, as commands name it. In the store, null is the default, and 0 is unlimited. */

import type { StorageExceeded } from '../store/store.ts';
import { CommandError } from './command-error.ts';
import { byteCount, withSeparators } from './output.ts';

/** `origin` begins the message about a limit that is not valid. */
export function readRecordLimit(origin: string, text: string): number | null {
  const number = /^[1-9]\d{0,11}$/.test(text) ? Number(text) : undefined;
  return number ?? readWord(origin, text, 'a whole number of records');
}

/** A pebibyte: larger than any disk, and small enough to be an exact number. */
const MAX_BYTES = 1024 ** 5;

const UNITS: Readonly<Record<string, number>> = { KB: 1, MB: 2, GB: 3, TB: 4 };

/** `500MB`, `2GB` */
export function readStorageLimit(origin: string, text: string): number | null {
  const [, digits, unit = ''] = /^(\d{1,6}(?:\.\d{1,3})?) ?([KMGT]i?B?)$/i.exec(text) ?? [];
  const power = UNITS[`${unit.slice(0, 1).toUpperCase()}B`];
  const bytes = digits === undefined || power === undefined ? 0 : Math.round(Number(digits) * 1024 ** power);
  const isSize = bytes > 0 && bytes <= MAX_BYTES;
  return isSize ? bytes : readWord(origin, text, 'a size such as 500MB or 2GB, up to 1024TB');
}

function readWord(origin: string, text: string, expected: string): number | null {
  if (text === 'default') return null;
  if (text === 'unlimited') return 0;
  throw new CommandError(`${origin} must be ${expected}, unlimited or default, not "${text}".`, 2);
}

export function showRecordLimit(limit: number | null): string {
  return limit === null ? 'default' : limit === 0 ? 'unlimited' : withSeparators(limit);
}

export function showStorageLimit(limit: number | null): string {
  return limit === null ? 'default' : limit === 0 ? 'unlimited' : byteCount(limit);
}

/** Why an import is refused, and what can be done about it. */
export function storageWords({ use: { records, bytes, limits } }: StorageExceeded, account: string): string {
  const isRecords = limits.records > 0 && records > limits.records;
  const what = isRecords
    ? `${withSeparators(records)} records, and its limit is ${withSeparators(limits.records)}.`
    : `${byteCount(bytes)} of values, and its limit is ${byteCount(limits.bytes)}.`;
  const flag = isRecords ? `--records ${records}` : '--storage SIZE';
  return `${account} would have ${what} Raise it with "stockbook account limit ${account} ${flag}".`;
}
