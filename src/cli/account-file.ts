/**
 * Accounts from a file, with their limits and keys. A row is an account, or one of its keys if it has several.
 *
 *     account,limit,key,scopes,expires,key_limit
 *     acme,100,Shop,"read,write",90d,
 *     acme,,BI,read,,20
 *     globex,,,,,
 */

import { DEFAULT_SCOPES, type Scope } from '../catalog/scopes.ts';
import { readTimestamp } from '../catalog/timestamp.ts';
import { csv } from '../import/csv.ts';
import { ErrorList } from '../import/error-list.ts';
import { type Format, type RawRow, UnreadableFile } from '../import/format.ts';
import { ndjson } from '../import/ndjson.ts';
import { nearest } from '../problem/nearest.ts';
import type { AccountLimits, RowError, RowErrors } from '../store/store.ts';
import { accountNameFlaw } from './accounts.ts';
import { CommandError } from './command-error.ts';
import { readDuration } from './duration.ts';
import { readAccountLimit, readKeyLimit } from './rate-limit.ts';
import { readScopes } from './scopes.ts';
import { readRecordLimit, readStorageLimit } from './storage-limit.ts';

/** The maximum number of rows of a file. They are held in memory, and added in one transaction. */
const MAX_ROWS = 100_000;

export interface AccountInFile {
  readonly name: string;
  readonly limits: AccountLimits;
  readonly keys: readonly KeyInFile[];
  /** On which it is first named. */
  readonly line: number;
}

export interface KeyInFile {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: string | null;
  readonly rateLimit: number | null;
}

/** What a row says. What it does not say is absent. */
interface Draft {
  readonly account?: string;
  readonly limit?: number | null;
  readonly records?: number | null;
  readonly storage?: number | null;
  readonly key?: string;
  readonly scopes?: readonly Scope[];
  readonly expires?: string | null;
  readonly key_limit?: number | null;
}

interface Column {
  /** For the help. */
  readonly meaning: string;
  /** Throws a command error if the text is not valid. `now` is in milliseconds since the epoch. */
  read(text: string, now: number): Draft;
}

export const accountColumns: Readonly<Record<keyof Draft, Column>> = {
  account: {
    meaning: 'its name; required',
    read(text) {
      const flaw = accountNameFlaw(text);
      if (flaw !== undefined) throw new CommandError(flaw);
      return { account: text };
    },
  },
  limit: {
    meaning: 'requests per second of all its keys together: a number, or unlimited',
    read: (text) => ({ limit: readAccountLimit(text) }),
  },
  records: {
    meaning: 'records that it may have: a number, unlimited, or default',
    read: (text) => ({ records: readRecordLimit('records', text) }),
  },
  storage: {
    meaning: 'the size of all values that it may store, such as 2GB, unlimited, or default',
    read: (text) => ({ storage: readStorageLimit('storage', text) }),
  },
  key: {
    meaning:
      'issue a key with this name, which says what it is for. For several keys, repeat the account in other rows',
    read: (text) => ({ key: text }),
  },
  scopes: {
    meaning: `what the key permits, separated by commas (default: ${DEFAULT_SCOPES.join(',')})`,
    read: (text) => ({ scopes: readScopes('scopes', text) }),
  },
  expires: {
    meaning: 'its lifetime, such as 90d, or the time at which it ends (default: unlimited)',
    read: (text, now) => ({ expires: readExpiry(text, now) }),
  },
  key_limit: {
    meaning: 'requests per second of the key: a number, unlimited, or default',
    read: (text) => ({ key_limit: readKeyLimit('key_limit', text) }),
  },
};

/** The columns that limit an account, and the limits. */
const LIMITS = [
  ['limit', 'rateLimit'],
  ['records', 'recordLimit'],
  ['storage', 'byteLimit'],
] as const;

function limitsOf({ limit = null, records = null, storage = null }: Draft): AccountLimits {
  return { rateLimit: limit, recordLimit: records, byteLimit: storage };
}

/** What only makes sense for a key. */
const OF_KEYS = ['scopes', 'expires', 'key_limit'] as const;

export interface AccountFormat {
  readonly name: 'csv' | 'ndjson';
  readonly extensions: readonly string[];
  readonly unit: string;
  rows(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Iterable<RawRow<unknown>>>;
}

export const accountFormats: readonly AccountFormat[] = [accountFormat('csv', csv), accountFormat('ndjson', ndjson)];

function accountFormat<Cell>(name: AccountFormat['name'], format: Format<Cell>): AccountFormat {
  const { extensions, unit } = format;
  return {
    name,
    extensions,
    unit,
    rows: (bytes) => format.rows({ bytes }, { columns: new Map() }, {}),
  };
}

/** Returns the errors if there are any. */
export async function readAccountFile(
  bytes: AsyncIterable<Uint8Array>,
  format: AccountFormat,
  now: number,
): Promise<readonly AccountInFile[] | RowErrors> {
  const reader = new AccountReader(now);
  for await (const rows of format.rows(bytes)) for (const row of rows) reader.add(row);
  return reader.errors.count > 0 ? reader.errors : reader.accounts;
}

class AccountReader {
  readonly errors = new ErrorList();
  readonly #now: number;
  readonly #accounts = new Map<
    string,
    { readonly name: string; readonly limits: AccountLimits; keys: KeyInFile[]; line: number }
  >();
  /** The lines on which keys are named, by the account and their names. */
  readonly #keys = new Map<string, number>();
  #columns: readonly string[] | undefined;
  #rows = 0;

  constructor(now: number) {
    this.#now = now;
  }

  get accounts(): readonly AccountInFile[] {
    return [...this.#accounts.values()];
  }

  add(row: RawRow<unknown>): void {
    const { number: line } = row;
    if (row.kind === 'error') {
      this.errors.add({ line, column: undefined, reason: row.reason });
      return;
    }
    if (!this.#checkColumns(row.columns, line) || row.kind === 'header') return;
    this.#rows += 1;
    if (this.#rows > MAX_ROWS)
      throw new UnreadableFile(`The file has more than ${MAX_ROWS} rows. Add the accounts from several files.`);
    if (row.cells.length !== row.columns.length) {
      const reason = `the row has ${row.cells.length} cells, but the first line names ${row.columns.length} columns`;
      this.errors.add({ line, column: undefined, reason });
      return;
    }
    const draft = this.#read(row.columns, row.cells, line);
    if (draft !== undefined) this.#combine(draft, line);
  }

  /** Formats return the same array of columns for many rows. */
  #checkColumns(columns: readonly string[], line: number): boolean {
    if (columns === this.#columns) return true;
    const before = this.errors.count;
    for (const [index, column] of columns.entries()) {
      if (columns.indexOf(column) < index) this.errors.add({ line, column, reason: 'duplicate column' });
      if (isColumn(column)) continue;
      const names = Object.keys(accountColumns);
      const meant = nearest(column, names);
      const help = meant === undefined ? `the columns are ${names.join(', ')}` : `did you mean ${meant}?`;
      this.errors.add({ line, column, reason: `there is no such column; ${help}` });
    }
    if (!columns.includes('account')) this.errors.add({ line, column: 'account', reason: 'missing' });
    if (this.errors.count > before) return false;
    this.#columns = columns;
    return true;
  }

  #read(columns: readonly string[], cells: readonly unknown[], line: number): Draft | undefined {
    const before = this.errors.count;
    let draft: Draft = {};
    for (const [index, column] of columns.entries()) {
      const text = textOf(cells[index]);
      if (!isColumn(column) || text === '') continue;
      try {
        if (text === undefined) throw new CommandError('must be a text, a number, or a list of texts');
        draft = { ...draft, ...accountColumns[column].read(text, this.#now) };
      } catch (error) {
        if (!(error instanceof CommandError)) throw error;
        this.errors.add({ line, column, reason: reasonIn(error, column) });
      }
    }
    return this.errors.count > before ? undefined : draft;
  }

  #combine(draft: Draft, line: number): void {
    const flaw = this.#flawIn(draft);
    if (flaw !== undefined || draft.account === undefined) {
      this.errors.add({ line, column: 'account', reason: 'missing', ...flaw });
      return;
    }
    const { account: name, key } = draft;
    const account = this.#accounts.get(name) ?? { name, limits: limitsOf(draft), keys: [], line };
    this.#accounts.set(name, account);
    if (key === undefined) return;
    this.#keys.set(`${name} ${key}`, line);
    const { scopes = DEFAULT_SCOPES, expires: expiresAt = null, key_limit: rateLimit = null } = draft;
    account.keys.push({ name: key, scopes, expiresAt, rateLimit });
  }

  #flawIn(draft: Draft): Omit<RowError, 'line'> | undefined {
    const { account: name = '', key } = draft;
    const ofKey = OF_KEYS.find((column) => draft[column] !== undefined);
    if (key === undefined && ofKey !== undefined)
      return { column: ofKey, reason: 'belongs to a key, but the row has none' };
    const known = this.#accounts.get(name);
    if (known === undefined) return undefined;
    const { line: first, limits } = known;
    if (key === undefined) return { column: 'account', reason: 'duplicate', first };
    const other = LIMITS.find(([column, limit]) => draft[column] !== undefined && draft[column] !== limits[limit]);
    if (other !== undefined) return { column: other[0], reason: 'the account has another one', first };
    const firstKey = this.#keys.get(`${name} ${key}`);
    return firstKey === undefined ? undefined : { column: 'key', reason: 'duplicate', first: firstKey };
  }
}

function isColumn(name: string): name is keyof Draft {
  return Object.hasOwn(accountColumns, name);
}

/** Empty if the cell is; undefined if it is nothing that a column could mean. */
function textOf(cell: unknown): string | undefined {
  if (typeof cell === 'string') return cell.trim();
  if (typeof cell === 'number') return String(cell);
  if (Array.isArray(cell)) return cell.every((item) => typeof item === 'string') ? cell.join(',') : undefined;
  // A quoted empty cell of a CSV file.
  return cell === null || typeof cell === 'symbol' ? '' : undefined;
}

/** The message names the column, and so does what precedes the reason. */
function reasonIn({ message }: CommandError, column: string): string {
  return message.replace(new RegExp(`^(?:The )?${column} `), '').replace(/\.$/, '');
}

const DURATION = /^\d+[a-z]$/;

function readExpiry(text: string, now: number): string {
  const end = DURATION.test(text) ? new Date(now + readDuration('expires', text)).toISOString() : readTimestamp(text);
  if (end === undefined)
    throw new CommandError(`must be a duration such as 90d, or a time such as 2027-01-31, not "${text}"`);
  if (Date.parse(end) <= now) throw new CommandError(`must be in the future, not "${text}"`);
  return end;
}
