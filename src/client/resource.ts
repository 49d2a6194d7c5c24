/** The records of a resource: everything that can be requested of them. */

import { AGGREGATE_OPTIONS, type Aggregate, type AggregateQuery, type Facet, type Measure } from './aggregate.ts';
import { CHANGES_OPTIONS, type Changes, type ChangesOptions, type Feed, followChanges } from './changes.ts';
import type { Call, Connection } from './connection.ts';
import { type Digest, readDigest } from './digest.ts';
import { eachRecord } from './each.ts';
import { type AnyRecord, type FieldOf, type TypesOf, withFiniteNumbers, withId } from './fields.ts';
import { condition, Filter, type OperandOf, type OperatorOf } from './filter.ts';
import { keyHeader, WRITE_OPTIONS, type WriteOptions } from './idempotency-key.ts';
import { type Importable, type ImportOptions, importInto, type StartedImport } from './import.ts';
import { type ImportResult, unlessMissing } from './imports.ts';
import { checkedArchive, checkedCsv, recordsIn, type StreamEnd } from './lines.ts';
import { type Copy, MIRROR_OPTIONS, Mirror, type MirrorOptions, type MirrorProgress } from './mirror.ts';
import { checkOptions, type NamesOf, REQUEST_OPTIONS, type RequestOptions } from './options.ts';
import type { ListPage, Page, Tagged } from './page.ts';
import {
  type ConditionalQuery,
  LIST_OPTIONS,
  type ListQuery,
  SELECTION_OPTIONS,
  type Selection,
  SORTED_OPTIONS,
  type SortedSelection,
  searchParams,
} from './query.ts';
import { StockbookError } from './stockbook-error.ts';

/** Records of type `R`, whose fields have the value types `T`. */
export class Resource<R extends AnyRecord, T extends TypesOf<R>> {
  protected readonly connection: Connection;
  /** Below `/api/v1/`. */
  protected readonly path: string;
  /** All of them, in the order in which a record has them. */
  readonly fields: readonly FieldOf<R>[];

  constructor(connection: Connection, path: string, fields: readonly FieldOf<R>[]) {
    this.connection = connection;
    this.path = path;
    this.fields = fields;
  }

  /** A filter with one condition. Further ones follow with `and` and `or`. */
  where<F extends FieldOf<R>, O extends OperatorOf<T[F]>>(
    field: F,
    operator: O,
    value: OperandOf<R[F], T[F], O>,
  ): Filter<R, T> {
    return new Filter(condition(field, operator, value));
  }

  /** A page of records. With `ifNoneMatch`, undefined if nothing has changed since that page. */
  list<F extends FieldOf<R> = FieldOf<R>>(
    query: ListQuery<R, T, F> & ConditionalQuery,
  ): Promise<Page<Pick<R, F>> | undefined>;
  list<F extends FieldOf<R> = FieldOf<R>>(query?: ListQuery<R, T, F>): Promise<Page<Pick<R, F>>>;
  async list<F extends FieldOf<R>>(
    query: ListQuery<R, T, F> & Partial<ConditionalQuery> = {},
  ): Promise<Page<Pick<R, F>> | undefined> {
    checkOptions('list', query, LIST_OPTIONS);
    if (query.wait !== undefined && !('ifNoneMatch' in query)) throw new TypeError('wait needs ifNoneMatch.');
    const { fields, q, filter, sort, page, limit, explain, ifNoneMatch, wait, ...options } = query;
    const { body, headers } = await this.connection.json<ListPage<Pick<R, F>>>({
      ...options,
      path: this.path,
      query: searchParams({ fields, q, filter, sort, page, limit, explain: explain || undefined }),
      headers: { ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }) },
      ...(wait !== undefined && ifNoneMatch !== undefined && { wait }),
    });
    return (
      body && {
        ...body,
        etag: headers.get('etag') ?? undefined,
        hint: headers.get('stockbook-hint') ?? undefined,
      }
    );
  }

  /** One record. Undefined if it doesn't exist. */
  async get<F extends FieldOf<R> = FieldOf<R>>(
    id: number,
    options: RecordOptions<F> = {},
  ): Promise<Pick<R, F> | undefined> {
    checkOptions('get', options, RECORD_OPTIONS);
    return (await this.getTagged(id, options))?.data;
  }

  /** One record with its entity tag, for `update` and `remove`. Undefined if it doesn't exist. */
  async getTagged<F extends FieldOf<R> = FieldOf<R>>(
    id: number,
    options: RecordOptions<F> = {},
  ): Promise<Tagged<Pick<R, F>> | undefined> {
    checkOptions('getTagged', options, RECORD_OPTIONS);
    const { fields, ...rest } = options;
    const call = { ...rest, path: this.#pathOf(id), query: searchParams({ fields }) };
    return unlessMissing('record_not_found', this.#tagged<Pick<R, F>>(call));
  }

  /**
   * Changes the fields that the patch has, and resolves to the record as it is then, with its new tag. With `ifMatch`, rejects with
   * `record_changed` if somebody else has changed the record since, and with the current `etag`.
   */
  async update(
    id: number,
    patch: { readonly [F in Exclude<FieldOf<R>, FixedField>]?: R[F] | undefined },
    options: EditOptions = {},
  ): Promise<Tagged<R>> {
    const call = this.#edit('update', id, options);
    return this.#tagged<R>({ ...call, method: 'PATCH', body: withFiniteNumbers(patch) });
  }

  /** Removes a record. Rejects with `record_not_found` if it doesn't exist, and with `ifMatch` like `update`. */
  async remove(id: number, options: EditOptions = {}): Promise<void> {
    await this.connection.json({ ...this.#edit('remove', id, options), method: 'DELETE' });
  }

  /**
   * Creates, changes and removes any number of records: all of them, or none. Row objects and streams of bytes are sent as they are
   * read; `rows` can also be a file, or a function that is called for every attempt. With `wait: false`, resolves as soon as the
   * service has all rows.
   */
  import<C extends string = never>(
    rows: Importable<R, NoInfer<C>>,
    options: ImportOptions<R, C> & { readonly wait: false },
  ): Promise<StartedImport>;
  import<C extends string = never>(
    rows: Importable<R, NoInfer<C>>,
    options?: ImportOptions<R, C> & { readonly wait?: true | undefined },
  ): Promise<ImportResult>;
  async import<C extends string>(
    rows: Importable<R, NoInfer<C>>,
    options: ImportOptions<R, C> = {},
  ): Promise<StartedImport | ImportResult> {
    const started = await importInto(this.connection, this.path, rows, options);
    return options.wait === false ? started : started.done();
  }

  /**
   * All records that match, in the order of ids, read page by page while the caller is busy with the records before. A caller
   * may take any time. Records that are written meanwhile may or may not be included; all others are, once.
   */
  each<F extends FieldOf<R> = FieldOf<R>>(
    query: Selection<R, T, F> & EachOptions = {},
  ): AsyncGenerator<Pick<R, F>, void> {
    checkOptions('each', query, EACH_OPTIONS);
    return eachRecord<Pick<R, F>>(this.connection, this.path, { ...query, filter: query.filter?.toString() });
  }

  /**
   * All records that match, from one snapshot. Throws `incomplete_stream` at the end if one is missing. A caller that stops
   * reading for minutes is disconnected.
   */
  async *stream<F extends FieldOf<R> = FieldOf<R>>(
    query: SortedSelection<R, T, F> = {},
  ): AsyncGenerator<Pick<R, F>, StreamEnd> {
    checkOptions('stream', query, SORTED_OPTIONS);
    const { bytes } = await this.#streamed('ndjson;end=line', query);
    return yield* recordsIn<Pick<R, F>>(bytes);
  }

  /** The same as CSV, in pieces of any size. Throws `incomplete_stream` at the end if a record is missing. */
  async *csv<F extends FieldOf<R> = FieldOf<R>>(
    options: SortedSelection<R, T, F> & CsvOptions = {},
  ): AsyncGenerator<Uint8Array, void> {
    checkOptions('csv', options, CSV_OPTIONS);
    const { excelSafe, onProgress, ...query } = options;
    const { bytes, headers } = await this.#streamed(excelSafe ? 'csv;excel-safe=true' : 'csv', query);
    yield* checkedCsv(bytes, headers.get('stockbook-rows'), onProgress);
  }

  /** The same as a workbook of Excel, for up to 1,048,575 records. Throws `incomplete_stream` at the end if a part is missing. */
  async *xlsx<F extends FieldOf<R> = FieldOf<R>>(
    query: SortedSelection<R, T, F> = {},
  ): AsyncGenerator<Uint8Array, void> {
    checkOptions('xlsx', query, SORTED_OPTIONS);
    const { bytes } = await this.#streamed('xlsx', query);
    yield* checkedArchive(bytes);
  }

  #streamed<F extends FieldOf<R>>(
    format: string,
    { fields, q, filter, sort, ...options }: SortedSelection<R, T, F>,
  ): ReturnType<Connection['stream']> {
    const query = searchParams({ fields, q, filter, sort, format });
    return this.connection.stream({ ...options, path: this.path, query });
  }

  /** What was written since a cursor, and what is written from now on, page by page. */
  changes<F extends FieldOf<R> = FieldOf<R>>(
    options: Selection<R, T, F> & ChangesOptions = {},
  ): AsyncGenerator<Changes<Pick<R, F | 'id'>>, void> {
    checkOptions('changes', options, CHANGES_OPTIONS);
    const { since, follow, ...query } = options;
    return followChanges(this.connection, this.#feed(query), { since, follow });
  }

  /** The SHA-256 of all records that match, as NDJSON. */
  async digest<F extends FieldOf<R>>(query: Selection<R, T, F> = {}): Promise<Digest> {
    checkOptions('digest', query, SELECTION_OPTIONS);
    return readDigest(this.connection, { ...this.#feed(query), fields: query.fields ?? this.fields });
  }

  /** Brings a copy up to date, and proves that it is equal. With `follow`, keeps it up to date until the signal aborts. */
  async mirror<F extends FieldOf<R> = FieldOf<R>>(
    copy: Copy<Pick<R, F | 'id'>>,
    options: Selection<R, T, F> & MirrorOptions = {},
  ): Promise<MirrorProgress> {
    checkOptions('mirror', options, MIRROR_OPTIONS);
    const { follow, onProgress, ...query } = options;
    return new Mirror(this.connection, this.#feed(query), copy, { follow, onProgress }).run();
  }

  /** Measures of all records that match, and of groups of them. */
  async aggregate<M extends Measure<T> = 'count', G extends Facet<T> = never>(
    query: AggregateQuery<R, T, M, G> = {},
  ): Promise<Aggregate<R, M, G>> {
    checkOptions('aggregate', query, AGGREGATE_OPTIONS);
    const { q, filter, measures, facets, sort, limit, ...options } = query;
    const { data, meta } = await this.connection.body<{
      readonly data: Pick<Aggregate<R, M, G>, 'measures' | 'facets'>;
      readonly meta: { readonly total: number };
    }>({
      ...options,
      path: `${this.path}/aggregate`,
      query: searchParams({ q, filter, measures, facets, sort, limit }),
    });
    return { ...data, ...meta };
  }

  #pathOf(id: number): string {
    return `${this.path}/${encodeURIComponent(id)}`;
  }

  /** Throws if the caller has no tag after all: without it, the changes of somebody else would be lost. */
  #edit(method: string, id: number, options: EditOptions): Call {
    checkOptions(method, options, EDIT_OPTIONS);
    const { ifMatch, idempotencyKey, ...rest } = options;
    if ('ifMatch' in options && ifMatch === undefined)
      throw new TypeError('ifMatch is undefined. Leave it out to overwrite the record.');
    const headers = { ...keyHeader(idempotencyKey), ...(ifMatch !== undefined && { 'if-match': ifMatch }) };
    return { ...rest, path: this.#pathOf(id), headers };
  }

  async #tagged<Data>(call: Call): Promise<Tagged<Data>> {
    const { body, headers } = await this.connection.json<{ readonly data: Data }>(call);
    // A proxy that compresses makes it weak.
    const etag = headers.get('etag')?.replace(/^W\//, '');
    if (body === undefined) throw new StockbookError('unexpected_response', { detail: 'The response has no body.' });
    return { data: body.data, etag };
  }

  /** The feed needs ids. It names all fields, so that a copy does not change when the service gets new ones. */
  #feed({ fields = this.fields, filter, ...options }: Selection<R, T, FieldOf<R>>): Feed {
    return { ...options, path: this.path, fields: withId(fields), filter: filter?.toString() };
  }
}

/** Of requests for a single record. */
interface RecordOptions<F> extends RequestOptions {
  /** Default: all fields. */
  readonly fields?: readonly F[] | undefined;
}

const RECORD_OPTIONS: NamesOf<RecordOptions<unknown>> = { fields: 1, ...REQUEST_OPTIONS };

/** Set by the service. */
type FixedField = 'id' | 'create_date' | 'write_date';

export interface EditOptions extends WriteOptions {
  /** The `etag` of the record as the caller knows it, or `*`. Without it, the record is overwritten even if somebody else has changed it. */
  readonly ifMatch?: string | undefined;
}

const EDIT_OPTIONS: NamesOf<EditOptions> = { ifMatch: 1, ...WRITE_OPTIONS };

export interface EachOptions {
  /** Records per request, up to 1,000. Default: 500. */
  readonly limit?: number | undefined;
  /** How many pages are read ahead. Default: 1. */
  readonly prefetch?: number | undefined;
}

const EACH_OPTIONS: NamesOf<EachOptions & typeof SELECTION_OPTIONS> = { limit: 1, prefetch: 1, ...SELECTION_OPTIONS };

export interface CsvOptions {
  /** For spreadsheets: columns have labels, and text that would run as a formula is escaped. Default: false. */
  readonly excelSafe?: boolean | undefined;
  /** Called before each piece with the number of records that are complete with it. */
  readonly onProgress?: ((records: number) => void) | undefined;
}

const CSV_OPTIONS: NamesOf<CsvOptions & typeof SORTED_OPTIONS> = { excelSafe: 1, onProgress: 1, ...SORTED_OPTIONS };

/** A resource whose records can be created from `New`. */
export class CreatableResource<R extends AnyRecord, T extends TypesOf<R>, New> extends Resource<R, T> {
  /**
   * Creates a record and resolves to its id. If there is no response, or a 503, the request is repeated with the same
   * `Idempotency-Key`, so one record is created. To repeat the call itself, give the key.
   */
  async create(record: New, options: WriteOptions = {}): Promise<number> {
    checkOptions('create', options, WRITE_OPTIONS);
    const { idempotencyKey, ...rest } = options;
    // The contract leaves open which of the two shapes a service sends.
    const body = await this.connection.body<number | { readonly data?: { readonly id?: number } }>({
      ...rest,
      path: this.path,
      headers: keyHeader(idempotencyKey),
      body: record,
    });
    const id = typeof body === 'number' ? body : body.data?.id;
    if (id !== undefined) return id;
    throw new StockbookError('unexpected_response', { detail: 'The response has no id.' });
  }
}
