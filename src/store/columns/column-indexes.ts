/**
 * Columns in memory, for resources that are worth it: they have many records, and lists of them were slow. A thread finds
 * pages and totals in the columns, and the database is only asked for the records of a page. All indexes share a budget.
 * An index that was not used for a while gives way to others, and is dropped in the end.
 */

import type { Resource } from '../../catalog/resource.ts';
import { startColumnThread } from '../../columns/column-thread.ts';
import type {
  Aggregated,
  AggregateRequest,
  ColumnCommand,
  ColumnResult,
  Counts,
  FoundIds,
} from '../../columns/commands.ts';
import { MAX_SORTED } from '../../columns/matches.ts';
import { costPerRecord } from '../../plan/cost.ts';
import { isSearch } from '../../plan/indexes.ts';
import { offsetOf } from '../../plan/page.ts';
import type { ListPlan, Predicate } from '../../plan/plan.ts';
import { NO_DEADLINE } from '../../schedule/deadline.ts';
import { FairQueue } from '../../schedule/fair-queue.ts';
import type { ChangeFeed } from '../change-feed.ts';
import type { Exports } from '../exports.ts';
import { isOrderedById } from '../sql/list-statements.ts';
import type { AccountId, Caller } from '../store.ts';
import type { LedgerVersion } from '../version.ts';
import { ColumnIndex, type IndexParts } from './column-index.ts';
import { Demand } from './demand.ts';

export interface ColumnIndexOptions {
  /** The most bytes that all indexes take together. 0 means that there are none. */
  readonly maxBytes: number;
  /** A resource with fewer records is not indexed. */
  readonly minRows?: number;
  /** How many slow reads within a minute it takes to build an index. */
  readonly minDemand?: number;
  /** How long an index has to be unused to give way to another, and to be dropped, in milliseconds. */
  readonly replaceableAfter?: number;
  readonly droppedAfter?: number;
  readonly onBuilt?: (built: BuiltIndex) => void;
  /** An index could not be built. It is tried again later. */
  readonly onFailed?: (error: unknown) => void;
}

export interface BuiltIndex {
  readonly account: AccountId;
  readonly resource: Resource;
  readonly bytes: number;
  readonly milliseconds: number;
}

const DEFAULTS = {
  minRows: 20_000,
  minDemand: 2,
  replaceableAfter: 60_000,
  droppedAfter: 600_000,
  onBuilt: () => undefined,
  onFailed: () => undefined,
};

/** Two jobs at a time, so that the thread has something to do while a result is on its way. */
const LIMITS = { slots: 2, maxRunning: 2, maxQueued: 100 };

/** Milliseconds of the thread for one unit of estimated cost. */
const MILLISECONDS_PER_COST = 0.000_01;

/** The approximate memory for a value, to tell in advance whether an index fits. */
const BYTES_PER_VALUE = 12;

/** If a search finds fewer records, the search index of the database is faster. */
const MIN_SEARCHED = 5_000;

export class ColumnIndexes {
  readonly #options: Required<ColumnIndexOptions>;
  readonly #parts: IndexParts;
  readonly #demand: Demand;
  /** Least recently used first. */
  readonly #indexes = new Map<string, UsedIndex>();
  /** One at a time. */
  #building: Promise<void> | undefined;
  #built = 0;
  #aggregates = 0;
  readonly #timer: NodeJS.Timeout;
  #isClosed = false;

  constructor(exports: Exports, changes: ChangeFeed, options: ColumnIndexOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.#demand = new Demand(this.#options.minDemand);
    const onStored = (index: ColumnIndex) => this.#keepWithinBudget(index);
    this.#parts = { thread: startColumnThread(), queue: new FairQueue(LIMITS), exports, changes, onStored };
    this.#timer = setInterval(() => this.#dropUnused(), this.#options.droppedAfter / 10).unref();
  }

  /** Finds a page. Undefined if the database has to: there is no index, or it lacks many changes. */
  async find(caller: Caller, plan: ListPlan, ledger: LedgerVersion): Promise<FoundIds | undefined> {
    const { resource, where, order, limit } = plan;
    const minMatches = where !== undefined && isSearch(where) ? MIN_SEARCHED : 0;
    const page = { where, order, offset: offsetOf(plan), limit, minMatches };
    if (!isOrderedById(plan) && page.offset + limit > MAX_SORTED) return undefined;
    const result = await this.#ask(caller, resource, [where], ledger, (table) => ({ kind: 'find', table, page }));
    return result?.kind === 'found' ? result.page : undefined;
  }

  /** How many records match each filter. Undefined if the database has to count. */
  async count(
    caller: Caller,
    resource: Resource,
    filters: readonly (Predicate | undefined)[],
    ledger: LedgerVersion,
  ): Promise<Counts | undefined> {
    const result = await this.#ask(caller, resource, filters, ledger, (table) => ({ kind: 'count', table, filters }));
    return result?.kind === 'counted' ? result.counts : undefined;
  }

  /** Undefined if the database has to be asked. */
  async aggregate(
    { account, deadline = NO_DEADLINE }: Caller,
    resource: Resource,
    request: AggregateRequest,
    ledger: LedgerVersion,
  ): Promise<Aggregated | undefined> {
    const index = this.#indexFor(account, resource, ledger.rows);
    this.#aggregates += 1;
    const result = await index?.aggregate(this.#aggregates, request, ledger, deadline);
    return result?.kind === 'aggregated' ? result.aggregated : undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    const indexes = [...this.#indexes.values()];
    for (const { index } of indexes) index.drop();
    await Promise.all([this.#building, ...indexes.map(({ index }) => index.settled())]);
    await this.#parts.thread.close();
  }

  async #ask(
    { account, deadline = NO_DEADLINE }: Caller,
    resource: Resource,
    filters: readonly (Predicate | undefined)[],
    ledger: LedgerVersion,
    commandFor: (table: number) => ColumnCommand,
  ): Promise<ColumnResult | undefined> {
    const index = this.#indexFor(account, resource, ledger.rows);
    const cost = filters.reduce((sum, filter) => sum + ledger.rows * costPerRecord(filter), 0) * MILLISECONDS_PER_COST;
    return index?.ask(commandFor, ledger, cost, deadline);
  }

  /** Has one built if there is none, and it is worth it. */
  #indexFor(account: AccountId, resource: Resource, rows: number): ColumnIndex | undefined {
    const { minRows, maxBytes } = this.#options;
    if (rows < minRows || maxBytes === 0 || this.#isClosed) return undefined;
    const name = `${account} ${resource.name}`;
    const used = this.#indexes.get(name);
    if (used !== undefined && !used.index.isDropped) {
      used.usedAt = Date.now();
      this.#indexes.delete(name);
      this.#indexes.set(name, used);
      return used.index;
    }
    this.#indexes.delete(name);
    const bytes = rows * resource.fields.length * BYTES_PER_VALUE;
    if (this.#demand.isEnough(name) && this.#building === undefined && this.#makeRoom(bytes)) {
      this.#building = this.#build(name, account, resource).finally(() => {
        this.#building = undefined;
      });
    }
    return undefined;
  }

  async #build(name: string, account: AccountId, resource: Resource): Promise<void> {
    this.#built += 1;
    const index = new ColumnIndex(account, resource, this.#built, this.#parts);
    this.#indexes.set(name, { index, usedAt: Date.now() });
    const started = performance.now();
    await index.build().catch((error: unknown) => {
      // It may end early because it was dropped.
      if (!index.isDropped) this.#options.onFailed(error);
      index.drop();
    });
    if (index.isDropped) this.#demand.postpone(name);
    else this.#options.onBuilt({ account, resource, bytes: index.bytes, milliseconds: performance.now() - started });
  }

  /** Whether there is, or can be made, room for so many bytes. */
  #makeRoom(bytes: number): boolean {
    const isReplaceable = this.#isUnusedFor(this.#options.replaceableAfter);
    const free = this.#options.maxBytes - this.#bytesOf((used) => !isReplaceable(used));
    if (bytes > free) return false;
    for (const used of this.#indexes.values())
      if (isReplaceable(used) && this.#bytesOf(() => true) + bytes > this.#options.maxBytes) used.index.drop();
    return true;
  }

  /** An index that has grown gives way itself if no other can. */
  #keepWithinBudget(index: ColumnIndex): void {
    if (this.#bytesOf(() => true) > this.#options.maxBytes && !this.#makeRoom(0)) index.drop();
  }

  #dropUnused(): void {
    const isUnused = this.#isUnusedFor(this.#options.droppedAfter);
    for (const [name, used] of this.#indexes) {
      if (isUnused(used)) used.index.drop();
      if (used.index.isDropped) this.#indexes.delete(name);
    }
  }

  #isUnusedFor(milliseconds: number): (used: UsedIndex) => boolean {
    const now = Date.now();
    return ({ index, usedAt }) => index.isReady && now - usedAt >= milliseconds;
  }

  #bytesOf(isCounted: (used: UsedIndex) => boolean): number {
    let bytes = 0;
    for (const used of this.#indexes.values()) if (!used.index.isDropped && isCounted(used)) bytes += used.index.bytes;
    return bytes;
  }
}

interface UsedIndex {
  readonly index: ColumnIndex;
  usedAt: number;
}
