/** Brings a file into a resource of an account: all of it at once, or nothing. */

import type { AccountId, Faults, IncomingRow, LoadPlan, Records } from '../store/store.ts';
import { csv } from './csv.ts';
import { FaultList } from './fault-list.ts';
import { fileText } from './file-text.ts';
import { type Format, type RawRow, UnreadableFile } from './format.ts';
import { json } from './json.ts';
import { ndjson } from './ndjson.ts';
import { type RejectFile, UnwritableRejects } from './reject-file.ts';
import { type ColumnMap, isFaulty, RowReader } from './row-reader.ts';

export interface ImportPlan extends Omit<LoadPlan, 'faulty'> {
  readonly columns: ColumnMap;
  /** Where rows go that cannot be imported; without it, one of them is enough and nothing is changed. */
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
      /** Of the rows that were rejected. */
      readonly faults: Faults;
      /** Why not all of these rows were written out. */
      readonly unwritten?: UnwritableRejects;
    }
  | {
      readonly kind: 'refused';
      readonly faults: Faults;
      /** Found while the file was read: rows without a fault were not compared with the records. */
      readonly isUnfinished?: true;
    }
  | { readonly kind: 'no such account' };

export interface Progress {
  /** Rows read so far. */
  readonly rows: number;
  /** Once the file is read, the rows are written. */
  readonly isRead: boolean;
}

export interface ImportFormat {
  readonly name: string;
  readonly endings: readonly string[];
  /** What rows are counted in. */
  readonly unit: 'line' | 'element';
  readonly frame: Format<unknown>['frame'];
  read(bytes: AsyncIterable<Uint8Array>, plan: ImportPlan, reading: Reading): AsyncIterable<readonly IncomingRow[]>;
}

export const importFormats: readonly ImportFormat[] = [importFormat(csv), importFormat(ndjson), importFormat(json)];

/** What a format's cells are is known to the format alone. */
function importFormat<Cell>(format: Format<Cell>): ImportFormat {
  const { name, endings, unit, frame } = format;
  return { name, endings, unit, frame, read: (bytes, plan, reading) => incomingRows(bytes, format, plan, reading) };
}

export async function importFile(
  records: Records,
  account: AccountId,
  plan: ImportPlan,
  { format, bytes }: { readonly format: ImportFormat; readonly bytes: AsyncIterable<Uint8Array> },
  report: (progress: Progress) => void,
): Promise<ImportResult> {
  const reading: Reading = { faults: new FaultList(), rejected: 0, report };
  const faulty = plan.rejects === undefined ? 'stop' : 'leave out';
  try {
    const result = await records.load(account, { ...plan, faulty }, format.read(bytes, plan, reading));
    if (result.kind !== 'loaded') return result;
    const { leftOut, ...counts } = result;
    for (const { fault } of leftOut) reading.faults.add(fault);
    const rejects = plan.dryRun ? undefined : plan.rejects;
    const unwritten = await writtenOut(
      rejects,
      leftOut.map(({ text }) => text),
    );
    const rejected = reading.rejected + leftOut.length;
    return { ...counts, kind: 'imported', rejected, faults: reading.faults, ...(unwritten && { unwritten }) };
  } catch (error) {
    if (error instanceof RefusedRows) return { kind: 'refused', faults: reading.faults, isUnfinished: true };
    throw error;
  }
}

/** By now the rest is imported: what cannot be written is told, and does not undo it. */
async function writtenOut(
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

/** What is learned while a file is read. */
interface Reading {
  readonly faults: FaultList;
  rejected: number;
  readonly report: (progress: Progress) => void;
}

/** Ends the reading where rows cannot be imported, and are not to be left out. */
class RefusedRows extends Error {
  override readonly name = 'RefusedRows';
}

/** A batch for every piece of the file. */
async function* incomingRows<Cell>(
  bytes: AsyncIterable<Uint8Array>,
  format: Format<Cell>,
  plan: ImportPlan,
  reading: Reading,
): AsyncIterable<readonly IncomingRow[]> {
  const parser = format.parser();
  const reader = new RowReader(format, plan);
  let rows = 0;
  const batch = async (raw: Iterable<RawRow<Cell>>): Promise<readonly IncomingRow[]> => {
    const incoming: IncomingRow[] = [];
    const rejected: string[] = [];
    for (const row of raw) {
      if (row.kind === 'header') plan.rejects?.begin(row.text);
      const read = reader.read(row);
      if (read === undefined) continue;
      rows += 1;
      if (isFaulty(read)) {
        for (const fault of read.faults) reading.faults.add(fault);
        // Where the columns are wrong, every row is.
        if (row.kind === 'header') throw new RefusedRows();
        rejected.push(read.text);
      } else {
        incoming.push(plan.rejects === undefined ? { line: read.line, values: read.values } : read);
      }
    }
    reading.rejected += rejected.length;
    await plan.rejects?.add(rejected);
    reading.report({ rows, isRead: false });
    // Once it is clear that nothing will be written, the rest is read for its faults alone.
    return plan.rejects === undefined && reading.rejected > 0 ? [] : incoming;
  };
  for await (const text of fileText(bytes)) yield await batch(parser.feed(text));
  yield await batch(parser.end());
  if (plan.rejects === undefined && reading.rejected > 0) throw new RefusedRows();
  reader.checkMap();
  if (plan.replace && rows === 0)
    throw new UnreadableFile(`The file has no rows, and --replace would remove all ${plan.resource.plural}.`);
  reading.report({ rows, isRead: true });
}
