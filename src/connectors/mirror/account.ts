/** The account that a mirror keeps equal to its source, over HTTP. */

import { Connection, filter, Resource, Sources, StockbookError } from '../../client/index.ts';

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

/** Where a source has been read up to. */
export interface SavedPosition {
  readonly position: string | null;
  /** When it was saved. */
  readonly savedAt: Date | undefined;
}

export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
  readonly removed: number;
  /** Rows that the account cannot hold, and why. */
  readonly skipped: readonly string[];
}

/** A service, and a key of the account there. */
export interface ServiceOptions {
  readonly url: string;
  readonly key: string;
  readonly onKeyExpiring?: (expiresAt: Date) => void;
  /** How often a request is repeated; the client's default if undefined. */
  readonly retries?: number;
}

export const PATHS = {
  product: 'inventory/product',
  partner: 'resources/partner',
  company: 'resources/company',
} as const;

export type ResourceName = keyof typeof PATHS;

export class Account {
  readonly #connection: Connection;
  readonly #sources: Sources;
  readonly #signal: AbortSignal;

  constructor(options: ServiceOptions, signal: AbortSignal) {
    this.#connection = new Connection(options);
    this.#sources = new Sources(this.#connection);
    this.#signal = signal;
  }

  fields(): Promise<readonly AccountField[]> {
    return this.#connection.data({ path: 'fields', signal: this.#signal });
  }

  async position(source: string): Promise<SavedPosition> {
    const saved = await this.#sources.get(source, { signal: this.#signal });
    return { position: saved?.position ?? null, savedAt: saved && new Date(saved.savedAt) };
  }

  resource(name: ResourceName): AccountResource {
    return new AccountResource(this.#connection, name, this.#signal);
  }
}

/** The records of one resource. */
export class AccountResource {
  readonly #resource: Resource<Row, Readonly<Record<string, 'text'>>>;
  readonly #signal: AbortSignal;

  constructor(connection: Connection, name: ResourceName, signal: AbortSignal) {
    this.#resource = new Resource(connection, PATHS[name], []);
    this.#signal = signal;
  }

  /** The records with ids after one and up to another; with all ids after it if that is undefined. */
  async between(after: number, upTo: number | undefined, fields: readonly string[]): Promise<readonly Row[]> {
    const matching = upTo === undefined ? filter`id>${after}` : filter`id>${after}&id<=${upTo}`;
    const rows: Row[] = [];
    const query = { filter: matching, fields: ['id', ...fields], limit: 1_000, signal: this.#signal };
    for await (const row of this.#resource.each<string>(query)) rows.push({ ...row, id: Number(row['id']) });
    return rows;
  }

  async ids(): Promise<readonly number[]> {
    const ids: number[] = [];
    for await (const { id } of this.#resource.stream({ fields: ['id'], signal: this.#signal })) ids.push(id);
    return ids;
  }

  /** All rows together with the position, or nothing. `expect` is the position before. */
  async import(
    rows: readonly (Row | RemovedRow)[],
    saved: { readonly source: string; readonly position: string; readonly expect: string | null },
  ): Promise<ImportCounts> {
    const result = await this.#resource.import(rows, { ...saved, onError: 'skip', signal: this.#signal });
    const { created, updated, removed, errors } = result;
    const reasons = errors.map(
      ({ line, column, reason }) =>
        `${rows[line - 1]?.id} was skipped, because the account cannot hold it: ${column} ${reason}`,
    );
    const more = result.skipped - errors.length;
    return { created, updated, removed, skipped: more > 0 ? [...reasons, `${more} more were skipped`] : reasons };
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
