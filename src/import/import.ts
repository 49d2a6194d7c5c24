/** Imports rows into a resource of an account, from a file or the body of a request: all of them or none. */

import type { Value } from '../catalog/value.ts';
import type { Problem } from '../problem/problem.ts';
import { LoadProgress } from '../store/load-progress.ts';
import type { Caller, IncomingRow, LoadOptions, LoadResult, Store } from '../store/store.ts';
import { type ColumnMatcher, isKnown } from './columns.ts';
import { csv } from './csv.ts';
import { type Recognised, Undecided } from './decisions.ts';
import { ErrorList } from './error-list.ts';
import { peek, recognisedFormat } from './file-kind.ts';
import { type FileFacts, type FileInput, type Format, type RawRow, UnreadableFile } from './format.ts';
import type { Found, Imported, ImportPlan, ImportResult } from './import-plan.ts';
import { importProblem, interrupted, resultMembers } from './import-problem.ts';
import { json } from './json.ts';
import { ndjson } from './ndjson.ts';
import { recognise, SAMPLE_LENGTH, SAMPLE_ROWS } from './recognition.ts';
import { type RejectFile, UnwritableRejects } from './reject-file.ts';
import { isInvalid, RowReader } from './row-reader.ts';
import type { RunningImport } from './running-import.ts';
import { xlsx } from './xlsx.ts';

export interface ImportProgress {
  /** How many rows have been read. */
  readonly rows: number;
  /** What happens to them once all of them have been read. It changes by itself. */
  readonly load?: LoadProgress;
}

export interface ImportFormat
  extends Pick<Format<unknown>, 'name' | 'extensions' | 'mediaTypes' | 'isCompressed' | 'unit'> {
  read(input: FileInput, plan: ImportPlan, reading: Reading): AsyncIterable<readonly IncomingRow[]>;
}

export const importFormats: readonly ImportFormat[] = [
  importFormat(csv),
  importFormat(xlsx),
  importFormat(ndjson),
  importFormat(json),
];

/** Whatever the content shows. */
export const anyFormat: ImportFormat = {
  name: 'any',
  extensions: [],
  mediaTypes: ['application/octet-stream'],
  isCompressed: true,
  unit: 'line',
  async *read(input, plan, reading) {
    const { start, bytes } = await peek(input.bytes);
    const format = await recognisedFormat(importFormats, '', start);
    // The content also shows whether it is compressed.
    const coding = input.coding === 'identity' ? undefined : input.coding;
    yield* format.read({ ...input, bytes, coding }, plan, reading);
  },
};

/** Only the format itself knows the type of its cells. */
function importFormat<Cell>(format: Format<Cell>): ImportFormat {
  const { name, extensions, mediaTypes, isCompressed, unit } = format;
  return {
    name,
    extensions,
    mediaTypes,
    isCompressed,
    unit,
    read: (input, plan, reading) => incomingRows(input, format, plan, reading),
  };
}

export interface ImportOptions extends Pick<LoadOptions, 'renew'> {
  readonly report?: (progress: ImportProgress) => void;
  /** If the import is listed while it runs. */
  readonly running?: RunningImport | undefined;
  /** What the list says about an error that stopped the import; that it was interrupted if undefined. */
  readonly problemOf?: (error: unknown) => Problem | undefined;
}

/** If the import is listed, the list says how it ended. */
export async function importRows(
  store: Pick<Store, 'records' | 'imports'>,
  caller: Caller,
  plan: ImportPlan,
  format: ImportFormat,
  input: FileInput,
  options: ImportOptions = {},
): Promise<ImportResult> {
  const { running } = options;
  try {
    const result = await load(store, caller, plan, format, input, options);
    if (result.kind === 'imported') running?.end();
    else if (isOfAnother(result)) await running?.discard();
    else await running?.fail(importProblem(result, plan));
    return result;
  } catch (error) {
    // What went wrong is reported to the caller. Why the list does not have it would only distract from that.
    await running?.fail(options.problemOf?.(error) ?? interrupted()).catch(() => undefined);
    throw error;
  }
}

/** Another request has the idempotency key. */
function isOfAnother({ kind }: ImportResult): boolean {
  return kind === 'replayed' || kind === 'key in progress' || kind === 'key reused';
}

async function load(
  store: Pick<Store, 'records' | 'imports'>,
  caller: Caller,
  plan: ImportPlan,
  format: ImportFormat,
  input: FileInput,
  { report, running, renew = async () => caller }: ImportOptions,
): Promise<ImportResult> {
  const reading: Reading = {
    rows: 0,
    errors: new ErrorList(),
    preview: [],
    load: new LoadProgress(),
    report(progress) {
      report?.(progress);
      if (running === undefined) return;
      running.rows = progress.rows;
      if (running.isCancelled) throw new Cancelled();
    },
  };
  const entry = { ...plan.import, rejected: reading, ...(running && { id: running.id }) };
  const options = {
    // Nobody sees how far a load is, unless it is reported.
    ...(report && { progress: reading.load }),
    renew: async () => {
      await running?.report();
      return renew();
    },
  };
  try {
    const rows = format.read(input, plan, reading);
    const result = await store.records.load(caller, { ...plan, import: entry }, rows, options);
    if (result.kind === 'refused') return { ...result, found: found(reading) };
    if (result.kind !== 'loaded') return result;
    return await imported(store, caller, plan, result, reading);
  } catch (error) {
    if (error instanceof InvalidRows)
      return { kind: 'refused', errors: reading.errors, found: found(reading), isPartial: true };
    if (error instanceof Undecided) return undecided(error, reading);
    if (error instanceof UnreadableFile) return { kind: 'unreadable', message: error.message };
    if (error instanceof Cancelled) return { kind: 'cancelled' };
    throw error;
  }
}

async function imported(
  { imports }: Pick<Store, 'imports'>,
  { account }: Caller,
  plan: ImportPlan,
  { skipped, kind: _, ...loaded }: Extract<LoadResult, { kind: 'loaded' }>,
  reading: Reading,
): Promise<Imported> {
  const { rows: rejected, errors } = reading;
  for (const { error } of skipped) errors.add(error);
  const result: Imported = {
    ...loaded,
    kind: 'imported',
    skipped: rejected + skipped.length,
    errors,
    found: found(reading),
  };
  // The transaction of the load did not know these errors yet.
  if (skipped.length > 0 && !plan.dryRun && loaded.importId !== undefined) {
    const { resource, idempotency } = plan;
    const repeated = idempotency && { resource, key: idempotency.key };
    await imports.amend(account, loaded.importId, storedResult(result), repeated);
  }
  const unwritten = await writeRejects(
    plan.rejects,
    skipped.flatMap(({ text }) => text ?? []),
  );
  return { ...result, ...(unwritten && { unwritten }) };
}

function undecided({ questions, recognised }: Undecided, reading: Reading): ImportResult {
  return { kind: 'undecided', questions, found: { ...found(reading), ...(recognised && { recognised }) } };
}

function found({ recognised, preview }: Reading): Found {
  return { ...(recognised && { recognised: recognised() }), preview };
}

/** What an import did, as it is listed. */
export function storedResult({ created, updated, unchanged, removed, skipped, version, ...rest }: Imported): string {
  const counts = { created, updated, unchanged, removed, skipped };
  return JSON.stringify({ ...counts, ...resultMembers(rest, false), ...version });
}

/** The other rows have been imported by now, so a failure to write these is reported but undoes nothing. */
async function writeRejects(
  rejects: RejectFile | undefined,
  rows: readonly string[],
): Promise<UnwritableRejects | undefined> {
  try {
    await rejects?.add(rows);
    await rejects?.close();
    return undefined;
  } catch (error) {
    if (error instanceof UnwritableRejects) return error;
    throw error;
  }
}

/** What is known about rows while they are being read. */
export interface Reading {
  /** How many of them were rejected. */
  rows: number;
  readonly errors: ErrorList;
  /** Undefined if there was nothing to recognise. */
  recognised?: () => Recognised;
  /** The first of the others, if it is a dry run. */
  readonly preview: Readonly<Record<string, Value | null>>[];
  readonly load: LoadProgress;
  readonly report: (progress: ImportProgress) => void;
}

/** Stops reading because of rows that cannot be imported and must not be skipped. */
class InvalidRows extends Error {
  override readonly name = 'InvalidRows';
}

/** The import was cancelled while its rows were being read. */
class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** How many rows a dry run shows. */
const PREVIEW = 10;

/** How much is read at a time, in characters: rows of a few bytes may stand for many. */
const MAX_SIZE = 64 * 1024;

/** How many rows of the sample are read at a time. */
const SAMPLE_BATCH = 100;

/** One batch for every piece of the file that a format parses at a time. */
async function* incomingRows<Cell>(
  input: FileInput,
  format: Format<Cell>,
  plan: ImportPlan,
  reading: Reading,
): AsyncIterable<readonly IncomingRow[]> {
  const facts: FileFacts = {};
  const stops = plan.onRowError === 'stop';
  let rows = 0;
  const batch = async (raw: Iterable<RawRow<Cell>>, reader: RowReader<Cell>): Promise<readonly IncomingRow[]> => {
    const incoming: IncomingRow[] = [];
    const rejected: string[] = [];
    let size = 0;
    for (const row of raw) {
      size += row.size;
      if (size > MAX_SIZE) {
        size = 0;
        await input.turn?.();
      }
      const read = reader.read(row);
      if (read === undefined) continue;
      rows += 1;
      if (isInvalid(read)) {
        for (const error of read.errors) reading.errors.add(error);
        // If the header is wrong, every row is.
        if (row.kind === 'header') throw new InvalidRows();
        rejected.push(read.text ?? '');
      } else incoming.push(read);
    }
    if (plan.dryRun)
      for (const row of incoming.slice(0, PREVIEW - reading.preview.length)) reading.preview.push(record(row));
    reading.rows += rejected.length;
    await plan.rejects?.add(rejected);
    reading.report({ rows });
    // Once it is clear that nothing will be written, the rest is read only to report its errors.
    return stops && reading.rows > 0 ? [] : incoming;
  };
  const sample = new Sample<Cell>();
  const begin = (): Begun<Cell> => {
    const { columns, texts, isNoteworthy, recognised } = recognise(format, plan, plan.decisions, facts, sample.rows);
    const reader = new RowReader(format, plan.key, columns, texts, plan.rejects !== undefined);
    const header = sample.rows.find(({ kind }) => kind === 'header');
    plan.rejects?.begin(format, header?.text ?? '', facts.encoding);
    if (isNoteworthy) reading.recognised = () => recognised(reader.notes);
    return { columns, reader };
  };
  const sampled = async function* (reader: RowReader<Cell>) {
    for (let from = 0; from < sample.rows.length; from += SAMPLE_BATCH) {
      await input.turn?.();
      yield await batch(sample.rows.slice(from, from + SAMPLE_BATCH), reader);
    }
    sample.rows.length = 0;
  };
  let begun: Begun<Cell> | undefined;
  for await (const raw of format.rows(input, plan.decisions, facts, (name) =>
    isKnown(name, plan.resource, plan.decisions.columns),
  )) {
    if (begun !== undefined) yield await batch(raw, begun.reader);
    else if (sample.add(raw)) {
      begun = begin();
      yield* sampled(begun.reader);
    }
  }
  if (begun === undefined) {
    begun = begin();
    yield* sampled(begun.reader);
  }
  if (stops && reading.rows > 0) throw new InvalidRows();
  begun.columns.checkMap();
  if (plan.replace && rows === 0) {
    const { container, replace } = plan.words;
    throw new UnreadableFile(`The ${container} has no rows, so ${replace} would remove all ${plan.resource.plural}.`);
  }
  reading.report({ rows, load: reading.load });
}

function record({ values, isRemoved }: IncomingRow): Readonly<Record<string, Value | null>> {
  const members = [...values].map(([{ name }, value]) => [name, value] as const);
  return { ...Object.fromEntries(members), ...(isRemoved && { removed: true }) };
}

/** Once it is known what the rows of a file mean. */
interface Begun<Cell> {
  readonly columns: ColumnMatcher;
  readonly reader: RowReader<Cell>;
}

/** The first rows of a file. */
class Sample<Cell> {
  readonly rows: RawRow<Cell>[] = [];
  #length = 0;

  /** Whether there are enough. */
  add(rows: Iterable<RawRow<Cell>>): boolean {
    for (const row of rows) {
      this.rows.push(row);
      this.#length += row.size;
    }
    return this.rows.length >= SAMPLE_ROWS || this.#length >= SAMPLE_LENGTH;
  }
}
