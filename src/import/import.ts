/** Imports rows into a resource of an account, from a file or the body of a request: all of them or none. */

import type { Problem } from '../problem/problem.ts';
import { oneByOne, partsOf } from '../schedule/one-by-one.ts';
import { LoadProgress } from '../store/load-progress.ts';
import type { Caller, LoadOptions, LoadResult, RowErrors, StagedBatch, Store } from '../store/store.ts';
import { StoreUnavailable } from '../store/store-error.ts';
import { addedAgainQuestion } from './added-again.ts';
import { Undecided } from './decisions.ts';
import { ErrorList } from './error-list.ts';
import { TooManyBytes } from './file-text.ts';
import { type FileInput, UnreadableFile } from './format.ts';
import type { ImportFormat } from './import-formats.ts';
import type { Found, Imported, ImportPlan, ImportResult } from './import-plan.ts';
import { importProblem, interrupted, resultMembers } from './import-problem.ts';
import { TooMuchHeld } from './reading/cost.ts';
import { importReaders } from './reading/import-readers.ts';
import type { Piece, ReadingFailure, ReadingOrder } from './reading/order.ts';
import { InvalidRows } from './reading/read-rows.ts';
import { type Rejects, UnwritableRejects } from './reject-file.ts';
import type { RunningImport } from './running-import.ts';

export interface ImportProgress {
  /** How many rows have been read. */
  readonly rows: number;
  /** What happens to them once all of them have been read. It changes by itself. */
  readonly load?: LoadProgress;
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
  const reading = new Reading(plan, (progress) => {
    report?.(progress);
    if (running === undefined) return;
    running.rows = progress.rows;
    if (running.isCancelled) throw new Cancelled();
  });
  const entry = {
    ...plan.import,
    content: reading.content,
    rejected: reading.rejected,
    ...(running && { id: running.id }),
  };
  const options = {
    // Nobody sees how far a load is, unless it is reported.
    ...(report && { progress: reading.load }),
    renew: async () => {
      await running?.report();
      return renew();
    },
  };
  try {
    const { dialect, account, now } = store.records.stagingOrder(caller, plan);
    const order = { ...orderOf(plan, format, input), dialect, account, now };
    const rows = reading.batches(importReaders.read(order, plan.resource, input.bytes), input.hash);
    const result = await store.records.loadStaged(caller, { ...plan, import: entry }, rows, options);
    if (result.kind === 'refused') return { ...result, found: reading.found };
    if (result.kind === 'added again') {
      const { found } = reading;
      return { kind: 'undecided', questions: [addedAgainQuestion(result, plan, found.recognised)], found };
    }
    if (result.kind !== 'loaded') return result;
    return await imported(store, caller, plan, result, reading);
  } catch (error) {
    const { found } = reading;
    if (error instanceof InvalidRows)
      return { kind: 'refused', errors: reading.rejected.errors, found, isPartial: true };
    if (error instanceof Undecided) return undecided(error, found);
    if (error instanceof UnreadableFile) return { kind: 'unreadable', message: error.message };
    if (error instanceof Cancelled) return { kind: 'cancelled' };
    throw error;
  }
}

function orderOf(
  { onRowError, replace, dryRun, key, decisions: { columns, ...decisions }, words, rejects }: ImportPlan,
  format: ImportFormat,
  { maxBytes, coding, path }: FileInput,
): Omit<ReadingOrder, 'dialect' | 'account' | 'now'> {
  return {
    onRowError,
    replace,
    dryRun,
    format: format.name,
    key: key.name,
    columns: [...columns].map(([column, field]) => [column, field?.name]),
    decisions,
    words: words.name,
    keepsRejects: rejects !== undefined,
    maxBytes,
    coding,
    path,
  };
}

/** How many skipped rows are counted at a time. */
const SKIPPED_AT_ONCE = 1_000;

async function imported(
  { imports }: Pick<Store, 'imports'>,
  { account }: Caller,
  plan: ImportPlan,
  { skipped, kind: _, ...loaded }: Extract<LoadResult, { kind: 'loaded' }>,
  reading: Reading,
): Promise<Imported> {
  const { rejected, found } = reading;
  const errors = new ErrorList(rejected.errors);
  for await (const part of oneByOne(partsOf(skipped, SKIPPED_AT_ONCE))) for (const { error } of part) errors.add(error);
  const result: Imported = { ...loaded, kind: 'imported', skipped: rejected.rows + skipped.length, errors, found };
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

function undecided({ questions, recognised }: Undecided, found: Found): ImportResult {
  return { kind: 'undecided', questions, found: { ...found, ...(recognised && { recognised }) } };
}

/** What an import did, as it is listed. */
function storedResult({ created, updated, unchanged, removed, skipped, version, ...rest }: Imported): string {
  const counts = { created, updated, unchanged, removed, skipped };
  return JSON.stringify({ ...counts, ...resultMembers(rest, false), ...version });
}

/** The other rows have been imported by now, so a failure to write these is reported but undoes nothing. */
async function writeRejects(
  rejects: Rejects | undefined,
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
class Reading {
  readonly load = new LoadProgress();
  readonly #plan: ImportPlan;
  readonly #report: (progress: ImportProgress) => void;
  readonly rejected: { rows: number; errors: RowErrors } = { rows: 0, errors: { first: [], count: 0 } };
  readonly content: { hash: string | undefined } = { hash: undefined };
  found: Found = { preview: [] };

  constructor(plan: ImportPlan, report: (progress: ImportProgress) => void) {
    this.#plan = plan;
    this.#report = report;
  }

  async *batches(
    pieces: ReturnType<typeof importReaders.read>,
    hash: FileInput['hash'],
  ): AsyncGenerator<StagedBatch, void> {
    let rows = 0;
    try {
      for (let next = await pieces.next(); ; next = await pieces.next()) {
        if (next.done === true) {
          const { failure, findings } = next.value;
          const { errors, ...found } = findings;
          this.rejected.errors = errors;
          this.found = found;
          if (failure !== undefined) throw errorOf(failure);
          this.content.hash = await hash?.();
          this.#report({ rows, load: this.load });
          return;
        }
        const { value } = next;
        rows = value.rows;
        await this.#take(value);
        if (value.staged !== undefined) yield value.staged;
      }
    } finally {
      await pieces.return({ findings: { errors: this.rejected.errors, ...this.found } });
    }
  }

  async #take({ rows, rejected, rejects, frame }: Piece): Promise<void> {
    this.rejected.rows = rejected;
    if (frame !== undefined) this.#plan.rejects?.begin(frame);
    await this.#plan.rejects?.add(rejects);
    this.#report({ rows });
  }
}

/** The import was cancelled while its rows were being read. */
class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

function errorOf(failure: ReadingFailure): Error {
  switch (failure.kind) {
    case 'invalid rows':
      return new InvalidRows();
    case 'undecided':
      return new Undecided(failure.questions, failure.recognised);
    case 'unreadable':
      return new UnreadableFile(failure.message);
    case 'too many bytes':
      return new TooManyBytes();
    case 'too much held':
      return new TooMuchHeld(failure.isOfAccount);
    case 'no temporary space':
      return new StoreUnavailable('no temporary space', failure.message);
    case 'file error':
      return Object.assign(new Error(failure.message), failure.error);
    case 'bug':
      return Object.assign(new Error(failure.message), { stack: failure.stack });
  }
}
