/** Loads files into an account of a service, over HTTP. */

import { writeFile } from 'node:fs/promises';
import type { Catalog } from '../../catalog/catalog.ts';
import { catalogOf, type ListedField } from '../../catalog/listed-field.ts';
import { readMapEntry } from '../../catalog/map-entry.ts';
import type { ResourceOutline } from '../../catalog/resource.ts';
import { rejectedRows } from '../../client/import.ts';
import {
  Connection,
  type ImportFormat,
  Resource,
  Sources,
  StockbookError,
  type StockbookOptions,
} from '../../client/index.ts';
import { type Me, readMe } from '../../client/me.ts';
import type { Clock } from '../../schedule/clock.ts';
import { type Destination, type LoadableFile, type LoadOutcome, type NewPosition, Obstacle } from './destination.ts';

/** How often a request is repeated before the watcher tries again later. */
const RETRIES = 2;

/** How long it is assumed that the service has the same fields, in milliseconds. */
const CATALOG_AGE = 60_000;

/** What is wrong with a file, and not with the key, the account or the service. */
const REFUSALS: readonly string[] = [
  'body_too_large',
  'confirmation_required',
  'decision_required',
  'import_cancelled',
  'invalid_import_option',
  'malformed_rows',
  'rows_rejected',
  'unsupported_media_type',
];

interface AnyFields {
  readonly id: number;
  readonly [field: string]: unknown;
}

type AnyResource = Resource<AnyFields, Readonly<Record<string, 'text'>>>;

export interface HttpOptions extends Pick<StockbookOptions, 'fetch'> {
  readonly url: string;
  readonly key: string;
  readonly onKeyExpiring: (expiresAt: Date) => void;
  readonly clock: Clock;
}

export class HttpDestination implements Destination {
  readonly #connection: Connection;
  readonly #sources: Sources;
  readonly #clock: Clock;
  #catalog: { readonly catalog: Catalog; readonly readAt: number } | undefined;

  constructor(options: HttpOptions) {
    this.#connection = new Connection({ ...options, retries: RETRIES });
    this.#sources = new Sources(this.#connection);
    this.#clock = options.clock;
  }

  /** What the key is. Rejects with a `StockbookError`. */
  me(signal: AbortSignal): Promise<Me> {
    return readMe(this.#connection, { signal });
  }

  async catalog(signal: AbortSignal): Promise<Catalog | Obstacle> {
    const now = this.#clock.monotonic();
    if (this.#catalog !== undefined && now - this.#catalog.readAt < CATALOG_AGE) return this.#catalog.catalog;
    try {
      const catalog = catalogOf(await this.#connection.data<readonly ListedField[]>({ path: 'fields', signal }));
      this.#catalog = { catalog, readAt: now };
      return catalog;
    } catch (error) {
      return obstacleOf(error);
    }
  }

  async position(source: string, signal: AbortSignal): Promise<string | null | Obstacle> {
    try {
      return (await this.#sources.get(source, { signal }))?.position ?? null;
    } catch (error) {
      return obstacleOf(error);
    }
  }

  async load(
    file: LoadableFile,
    { expected, ...saved }: NewPosition,
    signal: AbortSignal,
  ): Promise<LoadOutcome | Obstacle> {
    const options = { ...optionsOf(file), ...saved, expect: expected, signal };
    try {
      return { kind: 'loaded', counts: await this.#resource(file.resource).import(() => file.bytes(), options) };
    } catch (error) {
      if (!(error instanceof StockbookError)) throw error;
      if (error.code === 'position_changed') return { kind: 'position changed' };
      // The file cannot help it if the name of the source is taken.
      if (!REFUSALS.includes(error.code) || error.parameter === 'source') return obstacleOf(error);
      const { code, detail, suggestion, errors: first, errorCount = 0 } = error;
      const errors = first && { first: first.map((each) => ({ column: undefined, ...each })), count: errorCount };
      return { kind: 'refused', refusal: { code, detail, suggestion, errors } };
    }
  }

  async writeRejects(file: LoadableFile, path: string, signal: AbortSignal): Promise<boolean | Obstacle> {
    const options = { ...optionsOf(file), signal };
    try {
      const rows = await rejectedRows(this.#connection, file.resource.path, () => file.bytes(), options);
      if (rows !== undefined) await writeFile(path, rows, { mode: 0o600 });
      return rows !== undefined;
    } catch (error) {
      // All of its rows are wrong, for instance because of its columns.
      if (error instanceof StockbookError && REFUSALS.includes(error.code)) return false;
      return obstacleOf(error);
    }
  }

  #resource(resource: ResourceOutline): AnyResource {
    return new Resource(this.#connection, resource.path, []);
  }
}

function optionsOf({ name, format, parameters }: LoadableFile) {
  // The service decompresses files whose format it has to find out.
  const isCompressed = /\.(gz|zst)$/i.test(name);
  const sent: ImportFormat = (isCompressed ? undefined : oneOf(format.name, ['csv', 'ndjson', 'json'])) ?? 'any';
  const { map = [], ignoreUnknown, decimal, delimiter, emptyText, headerRow, ...others } = parameters;
  const columns = map.flatMap((entry) => {
    const read = readMapEntry(entry);
    return read === undefined ? [] : [[read.column, read.field || null] as const];
  });
  return {
    ...others,
    map: Object.fromEntries(columns),
    ignoreUnknown,
    headerRow: headerRow === undefined ? undefined : Number(headerRow),
    decimal: oneOf(decimal, ['.', ',']),
    delimiter: oneOf(delimiter, [',', ';', '|', 'tab']),
    emptyText: oneOf(emptyText, ['null', 'keep']),
    format: sent,
  };
}

/** They were checked when they were read. */
function oneOf<const Value extends string>(text: string | undefined, values: readonly Value[]): Value | undefined {
  return values.find((value) => value === text);
}

/** Everything else is thrown again. */
function obstacleOf(error: unknown): Obstacle {
  if (error instanceof StockbookError) return new Obstacle(error.message);
  throw error;
}
