/** Sends an import, and waits until it has ended. */

import type { Connection } from './connection.ts';
import type { AnyRecord, FieldOf } from './fields.ts';
import { keyHeader, WRITE_OPTIONS, type WriteOptions } from './idempotency-key.ts';
import { type ImportResult, Imports, type ImportWait, WAIT_OPTIONS } from './imports.ts';
import { checkOptions, type NamesOf, REQUEST_OPTIONS, type RequestOptions } from './options.ts';
import { gzipped, type ImportFormat, type ImportInput, piecesOf } from './pieces.ts';
import { searchParams } from './query.ts';
import { StockbookError } from './stockbook-error.ts';
import { type Content, SMALL, Upload } from './upload.ts';

/**
 * A row sets the fields that it has; the columns `C` are those that `map` renames. `removed: true` removes the record that the key
 * identifies.
 */
export type ImportRow<R, C extends string = never> = { readonly [F in keyof R]?: R[F] | undefined } & {
  readonly [Name in C]?: unknown;
} & { readonly removed?: boolean | undefined };

/** Rows, or a file. A function is called for every attempt, so that rows which cannot be read twice can be sent again. */
export type Importable<R, C extends string = never> =
  | ImportInput<ImportRow<R, C>>
  | (() => ImportInput<ImportRow<R, C>>);

interface ImportSettings<R, C extends string> extends WriteOptions {
  /** The field that identifies records. Default: `id`. */
  readonly key?: FieldOf<R> | undefined;
  /** Whether rows without an id are added, even if records have their codes already, or if the same rows were imported before. Default: false. */
  readonly add?: boolean | undefined;
  /** Whether records that no row names are removed; over a tenth of them only with `confirm`. Default: false. */
  readonly replace?: boolean | undefined;
  readonly confirm?: boolean | undefined;
  /** Whether only to report what would happen. Default: false. */
  readonly dryRun?: boolean | undefined;
  /** Whether a row that cannot be imported stops the import, so that nothing is changed, or is skipped. Default: `stop`. */
  readonly onError?: 'stop' | 'skip' | undefined;
  /** The fields that columns set. Null ignores a column. */
  readonly map?: Readonly<Record<C, FieldOf<R> | null>> | undefined;
  /** Whether columns that are neither fields nor in `map` are ignored. Default: false, an error. */
  readonly ignoreUnknown?: boolean | undefined;
  /** Whether numbers are read without their currency, percentages as hundredths, and `-`, `NULL`, `N/A` and `#N/A` as empty. Default: false. */
  readonly lenient?: boolean | undefined;
  /** The format of a file, or of the parts of one. Default: `any`, if it is a whole file; row objects have none. */
  readonly format?: ImportFormat | undefined;
  /** The encoding of a file of text, such as `windows-1252`. Default: what its byte order mark says, or UTF-8. */
  readonly encoding?: string | undefined;
  /** What separates the cells of CSV. Default: recognised. */
  readonly delimiter?: ',' | ';' | '|' | 'tab' | undefined;
  /** The sheet of a workbook. Default: the only one with data. */
  readonly sheet?: string | undefined;
  /** The number of the row, or line, that names the columns. Default: recognised in a workbook, else the first. */
  readonly headerRow?: number | undefined;
  /** The decimal sign of numbers in text. Default: recognised. */
  readonly decimal?: '.' | ',' | undefined;
  /** How dates are written that are not ISO 8601, such as `DD.MM.YYYY`. Default: recognised. */
  readonly dates?: string | undefined;
  /** The time zone of times that name none, such as `Europe/Berlin`. Default: UTC. */
  readonly timezone?: string | undefined;
  /** What an empty cell in quotes is, if the field can be null. Default: `null` if every cell of a file is in quotes. */
  readonly emptyText?: 'null' | 'keep' | undefined;
  /** Whether to compress what is sent. The service recognises a file that is compressed already. Default: false. */
  readonly gzip?: boolean | undefined;
  /** Called while rows are sent, and while the service imports them. */
  readonly onProgress?: ((progress: ImportProgress) => void) | undefined;
}

/** Where the source of the rows was read up to, which is saved together with them. */
interface SavedPosition {
  /** The name of the source. */
  readonly source: string;
  /** A text of up to 1 KB. */
  readonly position: string;
  /** The position before: if it is another one, `position_changed`. Null if there must be none. */
  readonly expect?: string | null;
}

interface NoPosition {
  readonly source?: undefined;
  readonly position?: undefined;
  readonly expect?: undefined;
}

export type ImportOptions<R, C extends string = never> = ImportSettings<R, C> &
  (SavedPosition | NoPosition) & {
    /** Whether to wait until the import has ended. Default: true. */
    readonly wait?: boolean | undefined;
  };

export const IMPORT_OPTIONS: NamesOf<ImportOptions<AnyRecord>> = {
  key: 1,
  add: 1,
  replace: 1,
  confirm: 1,
  dryRun: 1,
  onError: 1,
  map: 1,
  ignoreUnknown: 1,
  lenient: 1,
  format: 1,
  encoding: 1,
  delimiter: 1,
  sheet: 1,
  headerRow: 1,
  decimal: 1,
  dates: 1,
  timezone: 1,
  emptyText: 1,
  gzip: 1,
  onProgress: 1,
  source: 1,
  position: 1,
  expect: 1,
  wait: 1,
  ...WRITE_OPTIONS,
};

export interface ImportProgress {
  /** How many bytes were sent, before they are compressed. Browsers do not tell before the end. */
  readonly bytes: number;
  /** Of how many; undefined if that is not known. */
  readonly totalBytes: number | undefined;
  /** How many row objects were sent; once all of them are, or if it is a file, how many rows the service has read. */
  readonly rows: number;
}

/** An import that goes on without the caller. */
export class StartedImport {
  /** For `imports.get`. Undefined if it had ended before: a dry run, or the repetition of an import. */
  readonly id: string | undefined;
  readonly #imports: Imports;
  readonly #result: ImportResult | undefined;

  constructor(imports: Imports, id: string | undefined, result?: ImportResult) {
    this.#imports = imports;
    this.id = id;
    this.#result = result;
  }

  /** What the import did, when it has ended. Rejects with the reason if it has failed or was cancelled. */
  async done(options: ImportWait = {}): Promise<ImportResult> {
    checkOptions('done', options, WAIT_OPTIONS);
    return this.#result ?? this.#imports.done(this.id ?? '', options);
  }

  /** Cancels the import, so that nothing is changed. Rejects with `import_ended` if it has ended. */
  async cancel(options: RequestOptions = {}): Promise<void> {
    checkOptions('cancel', options, REQUEST_OPTIONS);
    if (this.id === undefined) throw new StockbookError('import_ended', { detail: 'The import has ended.' });
    await this.#imports.cancel(this.id, options);
  }
}

/** How long the service may take for the next part of a body, or for a dry run, in milliseconds. Node gives up then, too. */
const TIMEOUT = 300_000;

/** Messages name the options of the client. */
const WORDING = 'wording=client';

const MEDIA_TYPES = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  json: 'application/json',
  any: 'application/octet-stream',
};

/** A large import is made in the background, so that nothing in between gives up on it, and looked at until it has ended. */
export async function importInto<R, C extends string>(
  connection: Connection,
  path: string,
  importable: Importable<R, C>,
  options: ImportOptions<R, C>,
): Promise<StartedImport> {
  checkOptions('import', options, IMPORT_OPTIONS);
  const { wait = true, gzip = false, dryRun = false, onProgress, signal, timeout, retries } = options;
  const imports = new Imports(connection);
  const isFunction = typeof importable === 'function';
  const blob = isFunction ? undefined : blobOf(importable);
  const format = options.format ?? (blob && 'any');
  const query = queryOf(options);
  const charset = options.encoding === undefined ? '' : `; charset=${options.encoding}`;
  const headers = {
    'content-type': `${MEDIA_TYPES[format ?? 'ndjson']}${charset}`,
    ...(gzip && { 'content-encoding': 'gzip' }),
    ...keyHeader(options.idempotencyKey),
  };
  const sent = { bytes: 0, totalBytes: blob?.size, rows: 0 };
  const pieces = () => {
    const all = piecesOf(isFunction ? importable() : (blob ?? importable), format, (rows, bytes) => {
      Object.assign(sent, { rows, bytes });
      onProgress?.({ ...sent });
    });
    return gzip ? gzipped(all) : all;
  };
  const isReusable = isFunction || blob !== undefined || Array.isArray(importable);
  const upload = new Upload(pieces, isReusable, gzip ? undefined : blob);

  const attempt = async () => {
    const content = await upload.open(signal);
    const { size = Number.POSITIVE_INFINITY } = content;
    const isSmall = size <= SMALL;
    const { body } = await connection.once<{ readonly data: ImportResult | { readonly id: string } }>({
      path: `${path}/import`,
      query,
      headers: { ...headers, prefer: isSmall && wait ? WORDING : `${WORDING}, respond-async` },
      content: content.body,
      signal,
      timeout: timeout ?? (isSmall && !dryRun ? undefined : timeoutOf(content)),
    });
    if (body === undefined) throw new StockbookError('unexpected_response', { detail: 'The response has no body.' });
    const { data } = body;
    if (!('id' in data)) return new StartedImport(imports, undefined, data);
    if (!wait) return new StartedImport(imports, data.id);
    const progress = (rows: number) => onProgress?.({ ...sent, bytes: sent.totalBytes ?? sent.bytes, rows });
    return new StartedImport(imports, data.id, await ended(data.id, progress));
  };
  const ended = async (id: string, progress: (rows: number) => void): Promise<ImportResult> => {
    try {
      return await imports.done(id, { signal, retries, onProgress: progress });
    } catch (error) {
      // The caller does not know its id.
      if (signal?.aborted) imports.cancel(id).catch(() => undefined);
      if (!(error instanceof StockbookError) || error.code !== 'import_not_found') throw error;
      // Another attempt turned out to be the import. The next one gets its result.
      throw new StockbookError('import_interrupted', { status: 503, detail: error.detail, cause: error });
    }
  };
  try {
    return await connection.repeat({ signal, retries }, attempt, () => upload.isRepeatable);
  } finally {
    upload.close();
  }
}

/**
 * The rows of a file that cannot be imported, in a file of their own. Undefined if there are none, or if the service does not return them.
 * Nothing is changed. It is not repeated if it fails.
 */
export async function rejectedRows<R, C extends string>(
  connection: Connection,
  path: string,
  bytes: () => AsyncIterable<Uint8Array>,
  options: Omit<ImportSettings<R, C>, 'format'> & { readonly format: ImportFormat },
): Promise<AsyncGenerator<Uint8Array> | undefined> {
  const { format, signal, encoding } = options;
  const charset = encoding === undefined ? '' : `; charset=${encoding}`;
  const upload = new Upload(() => piecesOf(bytes(), format, () => {}), true);
  try {
    const content = await upload.open(signal);
    const response = await connection.stream({
      path: `${path}/import`,
      query: queryOf<R, C>({ ...options, replace: false, confirm: false, dryRun: true, onError: 'skip' }),
      headers: {
        accept: 'text/csv, application/x-ndjson',
        prefer: WORDING,
        'content-type': `${MEDIA_TYPES[format]}${charset}`,
      },
      content: content.body,
      signal,
      timeout: TIMEOUT,
      retries: 0,
    });
    // Anything else is a summary of the import.
    if (response.headers.has('content-disposition')) return response.bytes;
    await response.bytes.return(undefined);
    return undefined;
  } finally {
    upload.close();
  }
}

/** How much of a blob was sent is not known before the end, so it takes as long as it takes. */
function timeoutOf({ size }: Content): number {
  return size === undefined || size <= SMALL ? TIMEOUT : Number.POSITIVE_INFINITY;
}

function queryOf<R, C extends string>(options: ImportOptions<R, C>): URLSearchParams {
  const { key, add, replace, confirm, dryRun, onError, map, source, position, expect } = options;
  const { ignoreUnknown, lenient, delimiter, sheet, headerRow, decimal, dates, timezone, emptyText } = options;
  // Nothing would be expected, although something was meant to be.
  if ('expect' in options && expect === undefined && source !== undefined)
    throw new TypeError('expect is undefined. Null says that there is no position yet.');
  const query = searchParams({
    key,
    add: add || undefined,
    replace: replace || undefined,
    confirm: confirm || undefined,
    dry_run: dryRun || undefined,
    on_error: onError,
    ignore_unknown: ignoreUnknown || undefined,
    lenient: lenient || undefined,
    delimiter,
    sheet,
    header_row: headerRow,
    decimal,
    dates,
    timezone,
    empty_text: emptyText,
    source,
    position,
    expect: expect === null ? '' : expect,
  });
  for (const [column, field] of Object.entries(map ?? {})) query.append('map', `${column}:${field ?? ''}`);
  return query;
}

/** Undefined if the caller has something else than all bytes of a file. */
function blobOf(input: ImportInput<object>): Blob | undefined {
  if (input instanceof Blob) return input;
  if (typeof input === 'string' || input instanceof ArrayBuffer) return new Blob([input]);
  return input instanceof Uint8Array ? new Blob([new Uint8Array(input)]) : undefined;
}
