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
import type { SqlFields } from '../fields/fields.ts';
import { ledgerVersionOf } from '../sql/ledger.ts';
import { findStatement } from '../sql/record-statements.ts';
import { integerOf, textOrNullOf } from '../sql/row.ts';
import { Stager } from '../sql/staging.ts';
import type { ListState } from '../state/list-state.ts';
import type { States } from '../state/states.ts';
import type { StoreStats } from '../stats.ts';
import type {
  Caller,
  Changes,
  Created,
  CursorExpired,
  Export,
  Found,
  IncomingRow,
  LoadOptions,
  LoadPlan,
  LoadResult,
  NoAccess,
  NotCreated,
  NotFound,
  Page,
  Records,
  Separator,
  StagedBatch,
  StagingOrder,
  StorageLimits,
} from '../store.ts';
import type { LedgerVersion } from '../version.ts';
import { ChangeFeed } from './change-feed.ts';
import { Creates } from './creates.ts';
import { Exports } from './exports.ts';
import { jobFor } from './jobs.ts';
import { Lists } from './lists.ts';
import { Loads } from './loads.ts';
import { completeSearches } from './search-completion.ts';
import { SearchHints } from './search-hints.ts';

export interface RecordOptions {
  /** What this process holds, or another that does. */
  readonly columnIndexes: ColumnIndexOptions | IndexHolder;
  readonly storageLimits: StorageLimits;
}

export class SqlRecords implements Records {
  readonly #engine: Engine;
  readonly #fields: SqlFields;
  readonly #lists: Lists;
  readonly #exports: Exports;
  readonly #searchHints: SearchHints;
  readonly #changes: ChangeFeed;
  readonly #creates: Creates;
  readonly #loads: Loads;
  readonly #steps: ColumnSteps;
  /** Undefined if another process holds the indexes. */
  readonly #held: ColumnIndexes | undefined;
  /** Of this process, or of another. */
  readonly indexes: IndexHolder;
  readonly #index: IndexReads;
  constructor(
    engine: Engine,
    states: States<ListState>,
    audit: SqlAuditTrail,
    fields: SqlFields,
    options: RecordOptions,
  ) {
    const largePages = new MarkedAccounts(engine.clock);
    this.#engine = engine;
    this.#steps = new ColumnSteps(engine.clock);
    this.#fields = fields;
    this.#exports = new Exports(engine, states);
    this.#changes = new ChangeFeed(engine, largePages);
    const { columnIndexes } = options;
    if ('ask' in columnIndexes) {
      this.indexes = columnIndexes;
      this.#index = new IndexReads(columnIndexes, MIN_ROWS);
    } else {
      this.#held = new ColumnIndexes(this.#steps, this.#changes, fields, columnIndexes, engine.clock);
      this.indexes = this.#held;
      this.#index = new IndexReads(this.#held, columnIndexes.minRows ?? MIN_ROWS);
    }
    this.#lists = new Lists(engine, states, this.#index, largePages);
    this.#searchHints = new SearchHints(this.#index, this.#exports, this.#steps);
    this.#creates = new Creates(engine, options.storageLimits);
    this.#loads = new Loads(engine, options.storageLimits, audit);
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

  withSearchHints(caller: Caller, plan: ListPlan, page: Page): Promise<Page | NoAccess> {
    return this.#searchHints.addTo(caller, plan, page);
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

  load(
    caller: Caller,
    plan: LoadPlan,
    batches: AsyncIterable<readonly IncomingRow[]>,
    options?: LoadOptions,
  ): Promise<LoadResult> {
    const stager = new Stager(this.stagingOrder(caller, plan), this.#engine.dialect);
    return this.#loads.load(caller, plan, staged(stager, batches), options);
  }

  loadStaged(
    caller: Caller,
    plan: LoadPlan,
    batches: AsyncIterable<StagedBatch>,
    options?: LoadOptions,
  ): Promise<LoadResult> {
    return this.#loads.load(caller, plan, batches, options);
  }

  stagingOrder({ account }: Caller, { resource, now }: LoadPlan): StagingOrder {
    return { dialect: this.#engine.dialect.name, account, resource, now };
  }

  hasUsedKey(caller: Caller, resource: Resource, key: string): Promise<boolean> {
    return this.#loads.hasUsedKey(caller, resource, key);
  }

  async completeSearch(): Promise<void> {
    await completeSearches(this.#engine, await this.#fields.catalog());
  }

  /** Resolves when everything that was to be created has been written. */
  async close(): Promise<void> {
    await Promise.all([this.#held?.close(), this.#creates.close(), this.#loads.close()]);
    await this.#steps.close();
  }
}

async function* staged(stager: Stager, batches: AsyncIterable<readonly IncomingRow[]>): AsyncIterable<StagedBatch> {
  for await (const rows of batches) yield stager.stage(rows);
}
