/** Imports as the service lists them, and the positions of sources. */

import type { Connection } from './connection.ts';
import { checkOptions, type NamesOf, REQUEST_OPTIONS, type RequestOptions } from './options.ts';
import { searchParams } from './query.ts';
import type { ErrorGroup, PreviewedRecord, RecognisedFile } from './recognised.ts';
import { type ErrorCode, type ErrorDetails, type RowError, StockbookError } from './stockbook-error.ts';

/** What an import did; of a dry run, what it would do. */
export interface ImportResult {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly removed: number;
  /** Rows that could not be imported, with `onError: 'skip'`. */
  readonly skipped: number;
  /** The first 20 of their errors. */
  readonly errors: readonly RowError[];
  readonly revision: number;
  /** Where the changes after the import begin. */
  readonly cursor: string;
  /** Which of the skipped rows have the same error. */
  readonly errorGroups?: readonly ErrorGroup[];
  /** What was recognised in a file with named columns. */
  readonly recognised?: RecognisedFile;
  /** Of a dry run: the first ten rows as they would be stored. */
  readonly preview?: readonly PreviewedRecord[];
  /** Of a dry run: why the import would be refused. */
  readonly refusal?: ImportProblem;
}

export interface ImportProblem extends ErrorDetails {
  readonly code: ErrorCode;
}

interface ListedImport {
  readonly id: string;
  /** The name of the resource: `product`. */
  readonly resource: string;
  /** How many rows the service has read. */
  readonly rows: number;
  /** The key that made it, or the user of the command line. */
  readonly actor: string;
  /** Of the command line. */
  readonly file: string | null;
  readonly source: string | null;
  readonly startedAt: string;
  readonly endedAt: string | null;
}

export type Import = ListedImport &
  (
    | { readonly state: 'running' }
    | { readonly state: 'done'; readonly result: ImportResult }
    | { readonly state: 'failed'; readonly problem: ImportProblem }
  );

export interface ImportWait extends RequestOptions {
  /** Called with the number of rows that the service has read. */
  readonly onProgress?: ((rows: number) => void) | undefined;
}

interface ImportList extends RequestOptions {
  /** Starts at 1, which is the default. */
  readonly page?: number | undefined;
  /** Imports per page, up to 1,000, which is the default. */
  readonly limit?: number | undefined;
}

const LIST_OPTIONS: NamesOf<ImportList> = { page: 1, limit: 1, ...REQUEST_OPTIONS };

export const WAIT_OPTIONS: NamesOf<ImportWait> = { onProgress: 1, ...REQUEST_OPTIONS };

/** The pause before an import is looked at for the second time, in milliseconds. It doubles up to the limit. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 2_000;

/** The imports of the last 30 days. */
export class Imports {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The newest first: all of them, up to 1,000, or a page. */
  async list(options: ImportList = {}): Promise<readonly Import[]> {
    checkOptions('list', options, LIST_OPTIONS);
    const { page, limit, ...rest } = options;
    return this.#connection.data({ ...rest, path: 'imports', query: searchParams({ page, limit }) });
  }

  /** One import. Undefined if it doesn't exist. */
  async get(id: string, options: RequestOptions = {}): Promise<Import | undefined> {
    checkOptions('get', options, REQUEST_OPTIONS);
    return unlessMissing('import_not_found', this.#read(id, options));
  }

  /** Cancels an import, so that nothing is changed. Rejects with `import_ended` if it has ended. */
  async cancel(id: string, options: RequestOptions = {}): Promise<void> {
    checkOptions('cancel', options, REQUEST_OPTIONS);
    await this.#connection.json({ ...options, path: `imports/${encodeURIComponent(id)}`, method: 'DELETE' });
  }

  /** What an import did, when it has ended. Rejects with the reason if it has failed or was cancelled. */
  async done(id: string, wait: ImportWait = {}): Promise<ImportResult> {
    checkOptions('done', wait, WAIT_OPTIONS);
    const { onProgress, ...options } = wait;
    // Whether the service is unavailable says nothing about the import.
    const retries = options.retries ?? this.#connection.retries ?? Number.POSITIVE_INFINITY;
    for (let milliseconds = FIRST_PAUSE; ; milliseconds = Math.min(2 * milliseconds, LONGEST_PAUSE)) {
      const found = await this.#read(id, { ...options, retries });
      onProgress?.(found.rows);
      if (found.state === 'done') return found.result;
      if (found.state === 'failed') throw new StockbookError(found.problem.code, found.problem);
      await this.#connection.pause(milliseconds, options.signal);
    }
  }

  #read(id: string, options: RequestOptions): Promise<Import> {
    return this.#connection.data({ ...options, path: `imports/${encodeURIComponent(id)}` });
  }
}

/** How far a source has been imported. */
export interface Source {
  readonly name: string;
  /** The name of the resource that was imported into. */
  readonly resource: string;
  readonly position: string;
  readonly savedAt: string;
  /** When its connector last reported that everything has been imported. */
  readonly checkedAt: string | null;
  /** Seconds since then. */
  readonly lag: number | null;
  /** The error of its connector, if that is what it reported last. */
  readonly failure: { readonly error: string; readonly since: string } | null;
}

/** The positions that imports have saved. */
export class Sources {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async list(options: RequestOptions = {}): Promise<readonly Source[]> {
    checkOptions('list', options, REQUEST_OPTIONS);
    return this.#connection.data({ ...options, path: 'sources' });
  }

  /** One source. Undefined if no import has saved a position for it. */
  async get(name: string, options: RequestOptions = {}): Promise<Source | undefined> {
    checkOptions('get', options, REQUEST_OPTIONS);
    return unlessMissing(
      'source_not_found',
      this.#connection.data<Source>({ ...options, path: `sources/${encodeURIComponent(name)}` }),
    );
  }

  /** Forgets its position: whoever imports from it again begins anew. Rejects with `source_not_found` if it doesn't exist. */
  async remove(name: string, options: RequestOptions = {}): Promise<void> {
    checkOptions('remove', options, REQUEST_OPTIONS);
    await this.#connection.json({ ...options, path: `sources/${encodeURIComponent(name)}`, method: 'DELETE' });
  }
}

/** Undefined if the service says that there is none. */
export async function unlessMissing<Data>(code: ErrorCode, data: Promise<Data>): Promise<Data | undefined> {
  try {
    return await data;
  } catch (error) {
    if (error instanceof StockbookError && error.code === code) return undefined;
    throw error;
  }
}
