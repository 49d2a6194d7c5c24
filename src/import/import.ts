/** Imports a file into a resource of an account: all of it or nothing. */

import { LoadProgress } from '../store/load-progress.ts';
import type {
  AccountId,
  IncomingRow,
  LoadPlan,
  Records,
  RowErrors,
  StorageExceeded,
  TooManyRemoved,
} from '../store/store.ts';
import { csv } from './csv.ts';
import { ErrorList } from './error-list.ts';
import { fileText } from './file-text.ts';
import { type Format, type RawRow, UnreadableFile } from './format.ts';
import { json } from './json.ts';
import { ndjson } from './ndjson.ts';
import { type RejectFile, UnwritableRejects } from './reject-file.ts';
import { type ColumnMap, isInvalid, RowReader } from './row-reader.ts';

export interface ImportPlan extends Omit<LoadPlan, 'onRowError'> {
  readonly columns: ColumnMap;
  /** Receives rows that cannot be imported. Without it, a single such row stops the import. */
  readonly rejects: RejectFile | undefined;
}

export type ImportResult =
  | {
      readonly kind: 'imported';
      readonly created: number;
      readonly updated: number;
      readonly unchanged: number;
      readonly removed: number;
      readonly rejected: number;
      /** The errors of the rejected rows. */
      readonly errors: RowErrors;
      /** Why not all rejected rows were written to their file. */
      readonly unwritten?: UnwritableRejects;
      /** If present, this was a dry run, and the import itself would be refused. */
      readonly tooManyRemoved?: TooManyRemoved;
      readonly storageExceeded?: StorageExceeded;
    }
  | {
      readonly kind: 'refused';
      readonly errors: RowErrors;
      /** Found while reading the file: the other rows were not compared with the records. */
      readonly isPartial?: true;
    }
  | TooManyRemoved
  | StorageExceeded
  | { readonly kind: 'no such account' };

export interface ImportProgress {
  /** How many rows have been read. */
  readonly rows: number;
  /** What happens to them once the file has been read. It changes by itself. */
  readonly load?: LoadProgress;
}

export interface ImportFormat {
  readonly name: string;
  readonly extensions: readonly string[];
  /** What rows are counted in. */
  readonly unit: 'line' | 'element';
  readonly frame: Format<unknown>['frame'];
  read(
    bytes: AsyncIterable<Uint8Array>,
    plan: ImportPlan,
    progress: ReadProgress,
  ): AsyncIterable<readonly IncomingRow[]>;
}

export const importFormats: readonly ImportFormat[] = [importFormat(csv), importFormat(ndjson), importFormat(json)];

/** Only the format itself knows the type of its cells. */
function importFormat<Cell>(format: Format<Cell>): ImportFormat {
  const { name, extensions, unit, frame } = format;
  return {
    name,
    extensions,
    unit,
    frame,
    read: (bytes, plan, progress) => incomingRows(bytes, format, plan, progress),
  };
}

export async function importFile(
  records: Records,
  account: AccountId,
  plan: ImportPlan,
  { format, bytes }: { readonly format: ImportFormat; readonly bytes: AsyncIterable<Uint8Array> },
  report: (progress: ImportProgress) => void,
): Promise<ImportResult> {
  const progress: ReadProgress = { errors: new ErrorList(), rejected: 0, load: new LoadProgress(), report };
  const onRowError = plan.rejects === undefined ? 'stop' : 'skip';
  try {
    const rows = format.read(bytes, plan, progress);
    const result = await records.load(account, { ...plan, onRowError }, rows, progress.load);
    if (result.kind !== 'loaded') return result;
    const { skipped, ...counts } = result;
    for (const { error } of skipped) progress.errors.add(error);
    const rejects = plan.dryRun ? undefined : plan.rejects;
    const unwritten = await writeRejects(
      rejects,
      skipped.map(({ text }) => text),
    );
    const rejected = progress.rejected + skipped.length;
    return { ...counts, kind: 'imported', rejected, errors: progress.errors, ...(unwritten && { unwritten }) };
  } catch (error) {
    if (error instanceof InvalidRows) return { kind: 'refused', errors: progress.errors, isPartial: true };
    throw error;
  }
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

/** What is known about a file while it is being read. */
interface ReadProgress {
  readonly errors: ErrorList;
  rejected: number;
  readonly load: LoadProgress;
  readonly report: (progress: ImportProgress) => void;
}

/** Stops reading because of rows that cannot be imported and must not be skipped. */
class InvalidRows extends Error {
  override readonly name = 'InvalidRows';
}

/** One batch for every chunk of the file. */
async function* incomingRows<Cell>(
  bytes: AsyncIterable<Uint8Array>,
  format: Format<Cell>,
  plan: ImportPlan,
  progress: ReadProgress,
): AsyncIterable<readonly IncomingRow[]> {
  const parser = format.parser();
  const reader = new RowReader(format, plan);
  let rows = 0;
  const batch = async (raw: Iterable<RawRow<Cell>>): Promise<readonly IncomingRow[]> => {
    const incoming: IncomingRow[] = [];
    const rejected: string[] = [];
    for (const row of raw) {
      if (row.kind === 'header') plan.rejects?.setHeader(row.text);
      const read = reader.read(row);
      if (read === undefined) continue;
      rows += 1;
      if (isInvalid(read)) {
        for (const error of read.errors) progress.errors.add(error);
        // If the header is wrong, every row is.
        if (row.kind === 'header') throw new InvalidRows();
        rejected.push(read.text);
      } else {
        incoming.push(plan.rejects === undefined ? { line: read.line, values: read.values } : read);
      }
    }
    progress.rejected += rejected.length;
    await plan.rejects?.add(rejected);
    progress.report({ rows });
    // Once it is clear that nothing will be written, the rest is read only to report its errors.
    return plan.rejects === undefined && progress.rejected > 0 ? [] : incoming;
  };
  for await (const text of fileText(bytes)) yield await batch(parser.feed(text));
  yield await batch(parser.end());
  if (plan.rejects === undefined && progress.rejected > 0) throw new InvalidRows();
  reader.checkMap();
  if (plan.replace && rows === 0)
    throw new UnreadableFile(`The file has no rows, so --replace would remove all ${plan.resource.plural}.`);
  progress.report({ rows, load: progress.load });
}
