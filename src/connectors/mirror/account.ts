/** The account that a mirror keeps equal to its source, over HTTP. */

import {
  filter,
  type ImportResult,
  type RequestOptions,
  Resource,
  Sources,
  StockbookError,
} from '../../client/index.ts';
import type { Clock } from '../../schedule/clock.ts';
import { ServiceConnection, type ServiceOptions } from './service-connection.ts';

/** A field of the account, as far as a mirror needs to know it. */
export interface AccountField {
  readonly resource: string;
  readonly name: string;
  readonly type: 'text' | 'number' | 'integer' | 'boolean' | 'timestamp';
}

export interface Row {
  readonly id: number;
  readonly [field: string]: unknown;
}

export type RemovedRow = Readonly<{ id: number; removed: true }>;

/** How far a source has been read. */
export interface SavedPosition {
  readonly position: string | null;
  /** When the source was read last. */
  readonly readAt: Date | undefined;
}

export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
  readonly removed: number;
  /** The first rows that the account cannot hold, and how many more there are. */
  readonly skipped: readonly { readonly id: number; readonly reason: string }[];
  readonly skippedMore: number;
}

export const PATHS = {
  product: 'inventory/product',
  partner: 'resources/partner',
  company: 'resources/company',
} as const;

export type ResourceName = keyof typeof PATHS;

export function isResourceName(name: string): name is ResourceName {
  return Object.hasOwn(PATHS, name);
}

/** The maximum number of characters of an error that the service stores. */
const MAX_REPORTED_ERROR = 1_000;

/** How long a report of a failure may take, in milliseconds. */
const REPORT_TIMEOUT = 5_000;

/** How often to look whether a mirror has made a round, in milliseconds. */
const ROUND_POLL = 500;

export class Account {
  readonly #connection: ServiceConnection;
  readonly #sources: Sources;
  readonly #signal: AbortSignal;
  readonly #clock: Clock;

  constructor(options: ServiceOptions, signal: AbortSignal, clock: Clock) {
    this.#connection = new ServiceConnection(options, clock);
    this.#sources = new Sources(this.#connection);
    this.#signal = signal;
    this.#clock = clock;
  }

  fields(): Promise<readonly AccountField[]> {
    return this.#connection.data({ path: 'fields', signal: this.#signal });
  }

  async position(source: string): Promise<SavedPosition> {
    const saved = await this.#sources.get(source, { signal: this.#signal });
    if (saved === undefined) return { position: null, readAt: undefined };
    const { position, savedAt, checkedAt } = saved;
    return { position, readAt: new Date(checkedAt !== null && checkedAt > savedAt ? checkedAt : savedAt) };
  }

  /** What the mirror failed with before is over. */
  async clearFailure(source: string): Promise<void> {
    const saved = await this.#sources.get(source, { signal: this.#signal });
    if (saved !== undefined && saved.failure !== null) await this.reportSuccess(source);
  }

  /** The account has everything that is in the source. Nothing happens if no position of the source has been saved. */
  async reportSuccess(source: string): Promise<void> {
    await this.#report(source, null, {});
  }

  /** A mirror that fails may have no service to tell. */
  async reportFailure(source: string, error: string): Promise<void> {
    const short = error.slice(0, MAX_REPORTED_ERROR).toWellFormed();
    await this.#report(source, short, { retries: 0, timeout: REPORT_TIMEOUT }).catch(() => undefined);
  }

  async #report(source: string, error: string | null, options: RequestOptions): Promise<void> {
    try {
      const path = `sources/${encodeURIComponent(source)}`;
      await this.#connection.json({ ...options, method: 'PUT', path, body: { error }, signal: this.#signal });
    } catch (failure) {
      // There is no such source, or the service is older than reports.
      if (!(failure instanceof StockbookError && (failure.status === 404 || failure.status === 405))) throw failure;
    }
  }

  /** Resolves after the next complete round of the mirror that is running, or once none has been reported for so many seconds. */
  async nextRound(source: string, longest: number): Promise<void> {
    const reported = new Set<string>();
    // The one that is under way may have begun before.
    while (reported.size < 3) {
      const found = await this.#sources.get(source, { signal: this.#signal });
      if (found === undefined || found.checkedAt === null || found.lag === null) return;
      if (found.lag >= longest || found.failure !== null) return;
      reported.add(found.checkedAt);
      await this.#clock.pause(ROUND_POLL, this.#signal);
    }
  }

  resource(name: ResourceName): AccountResource {
    return new AccountResource(this.#connection, name, this.#signal);
  }
}

/** The records of one resource. */
export class AccountResource {
  readonly #connection: ServiceConnection;
  readonly #resource: Resource<Row, Readonly<Record<string, 'text'>>>;
  readonly #signal: AbortSignal;

  constructor(connection: ServiceConnection, name: ResourceName, signal: AbortSignal) {
    this.#connection = connection;
    this.#resource = new Resource(connection, PATHS[name], []);
    this.#signal = signal;
  }

  /** The records with ids after one and up to another. */
  async between(after: number, upTo: number, fields: readonly string[]): Promise<readonly Row[]> {
    const rows: Row[] = [];
    const query = {
      filter: filter`id>${after}&id<=${upTo}`,
      fields: ['id', ...fields],
      limit: 1_000,
      signal: this.#signal,
    };
    for await (const row of this.#resource.each<string>(query)) rows.push({ ...row, id: Number(row['id']) });
    return rows;
  }

  /** All ids after one. */
  async ids(after = 0): Promise<readonly number[]> {
    const ids: number[] = [];
    const query = { filter: filter`id>${after}`, fields: ['id'], signal: this.#signal };
    for await (const { id } of this.#connection.read(this.#resource.stream<string>(query))) ids.push(Number(id));
    return ids;
  }

  /** Why the account cannot hold rows, by their ids. Nothing is changed. */
  async refusals(rows: readonly Row[]): Promise<ReadonlyMap<number, string>> {
    if (rows.length === 0) return new Map();
    const { skipped, errors } = await this.#resource.import(rows, {
      dryRun: true,
      onError: 'skip',
      signal: this.#signal,
    });
    if (skipped <= errors.length || rows.length === 1)
      return new Map(refused(rows, errors).map(({ id, reason }) => [id, reason]));
    // Only the first errors are listed.
    const middle = Math.ceil(rows.length / 2);
    return new Map([...(await this.refusals(rows.slice(0, middle))), ...(await this.refusals(rows.slice(middle)))]);
  }

  /** All rows together with the position, or nothing. `expect` is the position before. */
  async import(
    rows: readonly (Row | RemovedRow)[],
    saved: { readonly source: string; readonly position: string; readonly expect: string | null },
  ): Promise<ImportCounts> {
    const result = await this.#resource.import(rows, { ...saved, onError: 'skip', signal: this.#signal });
    const { created, updated, removed, errors } = result;
    const skipped = refused(rows, errors);
    return { created, updated, removed, skipped, skippedMore: result.skipped - errors.length };
  }
}

function refused(rows: readonly Pick<Row, 'id'>[], errors: ImportResult['errors']): ImportCounts['skipped'] {
  return errors.map(({ line, column, reason }) => ({ id: rows[line - 1]?.id ?? 0, reason: `${column} ${reason}` }));
}

/** A mirror overwrites and removes, so it does not begin with records of somebody else. */
export class NotEmpty extends Error {
  override readonly name = 'NotEmpty';

  constructor(records: number, resource: string) {
    super(
      `The account has ${records} ${records === 1 ? 'record' : 'records'} of ${resource} that no mirror has written. Use an empty account, or run the mirror with --once --confirm-removals to replace them, and then as before.`,
    );
  }
}

/** Another mirror writes to the account. */
export class OtherMirror extends Error {
  override readonly name = 'OtherMirror';

  constructor(source: string) {
    super(`Another mirror writes to ${source}. Only one may run: this one stops.`);
  }
}

/** If a position is not the one that was expected: which one it is, null if there is none. */
export function changedPosition(error: unknown): string | null | undefined {
  return error instanceof StockbookError && error.code === 'position_changed'
    ? (error.currentPosition ?? null)
    : undefined;
}
