/** Records in SQL. */

import type { Resource } from '../../catalog/resource.ts';
import type { ChangesPlan, CreatePlan, ExportPlan, ListPlan, RecordPlan } from '../../plan/plan.ts';
import { MarkedAccounts } from '../../schedule/marked-accounts.ts';
import type { SqlAuditTrail } from '../accounts/audit-trail.ts';
import { ColumnIndexes, type ColumnIndexOptions, MIN_ROWS } from '../column-index/column-indexes.ts';
import { ColumnSteps } from '../column-index/column-steps.ts';
import type { IndexHolder } from '../column-index/index-holder.ts';
import { IndexReads } from '../column-index/index-reads.ts';
import type { AggregateBody } from '../column-index/thread/aggregate-body.ts';
import type { Aggregated, AggregateRequest, LineAggregate } from '../column-index/thread/commands.ts';
import type { Engine } from '../engine/engine.ts';
import type { LoadProgress } from '../load-progress.ts';
import { ledgerVersionOf } from '../sql/ledger.ts';
import { loadResult } from '../sql/load-result.ts';
import { inOrder, type LoadStatements, loadStatements } from '../sql/load-statements.ts';
import { findStatement } from '../sql/record-statements.ts';
import { integerOf, textOrNullOf } from '../sql/row.ts';
import { stagingOf } from '../sql/staging.ts';
import type { ListState } from '../state/list-state.ts';
import type { States } from '../state/states.ts';
import type { StoreStats } from '../stats.ts';
import type {
  AccountId,
  Caller,
  Changes,
  Created,
  CursorExpired,
  Export,
  Found,
  IncomingRow,
  LoadPlan,
  LoadResult,
  NoAccess,
  NotCreated,
  NotFound,
  Page,
  Records,
  Separator,
  StorageLimits,
} from '../store.ts';
import { StoreUnavailable } from '../store-error.ts';
import type { LedgerVersion } from '../version.ts';
import { ChangeFeed } from './change-feed.ts';
import { Creates } from './creates.ts';
import { Exports } from './exports.ts';
import { jobFor } from './jobs.ts';
import { Lists } from './lists.ts';
import { completeSearch, completeSearches } from './search-completion.ts';

/** How much disk a load takes, for each byte of its records: four for the file, and as much for the log. */
const SPACE_FACTOR = 8;

export interface RecordOptions {
  /** What this process holds, or another that does. */
  readonly columnIndexes: ColumnIndexOptions | IndexHolder;
  readonly storageLimits: StorageLimits;
}

export class SqlRecords implements Records {
  readonly #engine: Engine;
  readonly #lists: Lists;
  readonly #exports: Exports;
  readonly #changes: ChangeFeed;
  readonly #creates: Creates;
  readonly #steps = new ColumnSteps();
  /** Undefined if another process holds the indexes. */
  readonly #held: ColumnIndexes | undefined;
  /** Of this process, or of another. */
  readonly indexes: IndexHolder;
  readonly #index: IndexReads;
  readonly #audit: SqlAuditTrail;

  readonly #limits: StorageLimits;

  constructor(engine: Engine, states: States<ListState>, audit: SqlAuditTrail, options: RecordOptions) {
    const largePages = new MarkedAccounts();
    this.#engine = engine;
    this.#exports = new Exports(engine, states);
    this.#changes = new ChangeFeed(engine, largePages);
    const { columnIndexes } = options;
    if ('ask' in columnIndexes) {
      this.indexes = columnIndexes;
      this.#index = new IndexReads(columnIndexes, MIN_ROWS);
    } else {
      this.#held = new ColumnIndexes(this.#steps, this.#changes, columnIndexes);
      this.indexes = this.#held;
      this.#index = new IndexReads(this.#held, columnIndexes.minRows ?? MIN_ROWS);
    }
    this.#lists = new Lists(engine, states, this.#index, largePages);
    this.#limits = options.storageLimits;
    this.#creates = new Creates(engine, this.#limits);
    this.#audit = audit;
  }

  get stats(): Pick<StoreStats, 'queues' | 'index' | 'held'> {
    const held = this.#held?.stats;
    return {
      queues: { index_steps: this.#steps.stats, ...(held && { index_requests: held.requests }) },
      index: this.#index.counts,
      held,
    };
  }

  list(caller: Caller, plan: ListPlan, current: LedgerVersion): Promise<Page | NoAccess> {
    return this.#lists.page(caller, plan, current);
  }

  aggregate(
    caller: Caller,
    resource: Resource,
    request: AggregateRequest,
    ledger: LedgerVersion,
  ): Promise<Aggregated | undefined> {
    return this.#index.aggregate(caller, resource, request, ledger);
  }

  async aggregateLines(caller: Caller, lines: Export, request: LineAggregate): Promise<AggregateBody> {
    const result = await this.#steps.consume(caller, lines, { kind: 'aggregate', ...request });
    if (result.kind !== 'printed') throw new Error(`the thread returned ${result.kind}`);
    return result.body;
  }

  async hashLines(caller: Caller, lines: Export): Promise<string> {
    const result = await this.#steps.consume(caller, lines, { kind: 'sha256' });
    if (result.kind !== 'hashed') throw new Error(`the thread returned ${result.kind}`);
    return result.sha256;
  }

  export(caller: Caller, plan: ExportPlan): Promise<Export | NoAccess> {
    return this.#exports.open(caller, plan);
  }

  changes(caller: Caller, plan: ChangesPlan, separator?: Separator): Promise<Changes | CursorExpired | NoAccess> {
    return this.#changes.after(caller, plan, separator);
  }

  prune(before: string): Promise<void> {
    return this.#changes.prune(before);
  }

  async find(caller: Caller, plan: RecordPlan): Promise<Found | NotFound | NoAccess> {
    const [row] = await this.#engine.fast(jobFor(caller), findStatement(caller, plan, this.#engine.dialect));
    if (row === undefined) return 'no access';
    const version = ledgerVersionOf(row);
    const record = textOrNullOf(row, 'record');
    if (record === null) return { kind: 'not found' };
    const written = { generation: integerOf(row, 'record_generation'), revision: integerOf(row, 'record_revision') };
    return { kind: 'found', record, written, version };
  }

  create(caller: Caller, plan: CreatePlan): Promise<Created | NotCreated | NoAccess> {
    return this.#creates.add(caller, plan);
  }

  async load(
    account: AccountId,
    plan: LoadPlan,
    batches: AsyncIterable<readonly IncomingRow[]>,
    progress?: LoadProgress,
  ): Promise<LoadResult> {
    const { dialect } = this.#engine;
    let lastLine = 0;
    let bytes = 0;
    const staging = stagingOf(account, plan, batches, dialect, (line, batchBytes) => {
      lastLine = line;
      bytes += batchBytes;
      this.#engine.requireRoom(SPACE_FACTOR * bytes);
    });
    let statements: LoadStatements | undefined;
    const prepare = () => {
      statements = loadStatements(
        account,
        plan,
        lastLine,
        this.#limits,
        (entry) => this.#audit.statement(entry),
        dialect,
      );
      const { all, phases } = inOrder(statements);
      progress?.begin(phases);
      return all;
    };
    const result = await this.#engine.load(staging, prepare, account, progress?.finished);
    if (statements === undefined) throw new Error('the engine did not ask for the statements');
    if (result.isCommitted) {
      // Searches find the records even before they are indexed.
      const onProgress = (fraction: number) => progress?.index(fraction);
      await completeSearch(this.#engine, account, plan.resource, onProgress).catch(ignoreUnavailable);
    }
    return loadResult(plan, statements, result);
  }

  completeSearch(): Promise<void> {
    return completeSearches(this.#engine);
  }

  /** Resolves when everything that was to be created has been written. */
  async close(): Promise<void> {
    await Promise.all([this.#held?.close(), this.#creates.close()]);
    await this.#steps.close();
  }
}

function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error;
}
