/**
 * Columns in memory, for resources that are worth it: they have many records, and lists of them were slow. A thread finds
 * pages and totals in the columns, and the database is only asked for the records of a page. All indexes share a budget.
 * An index that was not used for a while gives way to others, and is dropped in the end.
 */

import type { Resource } from '../../catalog/resource.ts';
import { type CostFactors, estimateCost } from '../../plan/cost.ts';
import { isSearch } from '../../plan/indexes.ts';
import { offsetOf } from '../../plan/page.ts';
import type { ListPlan } from '../../plan/plan.ts';
import { NO_DEADLINE } from '../../schedule/deadline.ts';
import { FairQueue } from '../../schedule/fair-queue.ts';
import type { ChangeFeed } from '../records/change-feed.ts';
import type { Exports } from '../records/exports.ts';
import { isDeep, isOrderedById, type KnownList } from '../records/list-reading.ts';
import type { IndexStats } from '../stats.ts';
import type { AccountId, Caller } from '../store.ts';
import type { LedgerVersion } from '../version.ts';
import { ColumnIndex, type IndexParts } from './column-index.ts';
import type { ColumnSteps } from './column-steps.ts';
import { Demand } from './demand.ts';
import type { Aggregated, AggregateRequest, BeginCommand, ColumnResult, FoundIds } from './thread/commands.ts';
import { MAX_SORTED, sortedRows } from './thread/matches.ts';

export interface ColumnIndexOptions {
  /** The maximum number of bytes that all indexes take together. 0 means that there are none. */
  readonly maxBytes: number;
  /** A resource with fewer records is not indexed. */
  readonly minRows?: number;
  /** How many slow reads within a minute it takes to build an index. */
  readonly minDemand?: number;
  /** How long an index has to be unused to give way to another, and to be dropped, in milliseconds. */
  readonly replaceableAfter?: number;
  readonly droppedAfter?: number;
  readonly onBuilt?: (built: BuiltIndex) => void;
  /** An index that had been built is gone. */
  readonly onDropped?: (dropped: IndexSize) => void;
  /** An index could not be built. It is tried again later. */
  readonly onFailed?: (error: unknown) => void;
}

export interface IndexSize {
  readonly account: AccountId;
  readonly resource: Resource;
  readonly bytes: number;
}

export interface BuiltIndex extends IndexSize {
  readonly milliseconds: number;
}

const DEFAULTS = {
  minRows: 20_000,
  minDemand: 2,
  replaceableAfter: 60_000,
  droppedAfter: 600_000,
  onBuilt: () => undefined,
  onDropped: () => undefined,
  onFailed: () => undefined,
};

/** If more requests of an account were under way, all of them would end late instead of one after another. */
const REQUEST_LIMITS = { slots: Number.POSITIVE_INFINITY, maxRunning: 2, maxQueued: 100 };

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
  readonly #timer: NodeJS.Timeout;
  #isClosed = false;
  #hits = 0;
  #misses = 0;

  constructor(steps: ColumnSteps, exports: Exports, changes: ChangeFeed, options: ColumnIndexOptions) {
    this.#options = { ...DEFAULTS, ...options };
    this.#demand = new Demand(this.#options.minDemand);
    this.#parts = {
      steps,
      requests: new FairQueue(REQUEST_LIMITS),
      exports,
      changes,
      onStored: (index) => this.#keepWithinBudget(index),
      onDropped: (index) => {
        if (index.isBuilt && !this.#isClosed) this.#options.onDropped(index);
      },
    };
    this.#timer = setInterval(() => this.#dropUnused(), this.#options.droppedAfter / 10).unref();
  }

  /**
   * Finds a page of a slow list. Undefined if the database has to: there is no index, or it lacks many changes, or the page is far from
   * both ends of a sorted list. Where a filtered one ends is known if its total is.
   */
  async find(caller: Caller, plan: ListPlan, known: KnownList): Promise<FoundIds | undefined> {
    const { version: ledger, total = Number.POSITIVE_INFINITY } = known;
    const { resource, where, order, limit } = plan;
    const offset = offsetOf(plan);
    const explained = plan.explained?.map((condition) => condition.where);
    // An explanation needs all columns anyway.
    const minMatches = where !== undefined && isSearch(where) && explained === undefined ? MIN_SEARCHED : 0;
    const page = { where, order, offset, limit, minMatches, explained };
    const index = this.#indexFor(caller.account, resource, ledger.rows, isDeep(plan, known));
    if (!isOrderedById(plan) && sortedRows(offset, limit, total) > MAX_SORTED) return undefined;
    const result = await this.#ask(caller, index, plan, ledger, (table, number) => ({
      kind: 'find',
      table,
      number,
      page,
    }));
    return result?.kind === 'found' ? result.page : undefined;
  }

  /** Undefined if the database has to be asked. */
  async aggregate(
    caller: Caller,
    resource: Resource,
    request: AggregateRequest,
    ledger: LedgerVersion,
  ): Promise<Aggregated | undefined> {
    const index = this.#indexFor(caller.account, resource, ledger.rows);
    const factors = { where: request.where };
    const result = await this.#ask(caller, index, factors, ledger, (table, number) => ({
      kind: 'aggregate',
      table,
      number,
      request,
    }));
    this.count(result?.kind === 'aggregated');
    return result?.kind === 'aggregated' ? result.aggregated : undefined;
  }

  /** Counts an answer: what an index found may be outdated in the end, and is not always asked for. Aggregates are counted already. */
  count(isFromIndex: boolean): void {
    if (isFromIndex) this.#hits += 1;
    else this.#misses += 1;
  }

  get stats(): IndexStats {
    const { requests, steps } = this.#parts;
    return {
      queues: { index_requests: requests.stats, index_steps: steps.stats },
      indexes: [...this.#indexes.values()].filter(({ index }) => index.isUsable).length,
      bytes: this.#bytesOf(() => true),
      maxBytes: this.#options.maxBytes,
      hits: this.#hits,
      misses: this.#misses,
    };
  }

  /** Drops an index that has a version which the ledger never had: a failover has lost it. */
  forget(account: AccountId, resource: Resource): void {
    this.#indexes.get(nameOf(account, resource))?.index.drop();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    const indexes = [...this.#indexes.values()];
    for (const { index } of indexes) index.drop();
    await Promise.all([this.#building, ...indexes.map(({ index }) => index.settled())]);
  }

  async #ask(
    { deadline = NO_DEADLINE }: Caller,
    index: ColumnIndex | undefined,
    factors: CostFactors,
    ledger: LedgerVersion,
    commandFor: (table: number, number: number) => BeginCommand,
  ): Promise<ColumnResult | undefined> {
    const cost = estimateCost(factors, ledger.rows) * MILLISECONDS_PER_COST;
    return index?.ask(commandFor, ledger, cost, deadline);
  }

  /** Has one built if there is none, and it is worth it, or needed at once. */
  #indexFor(account: AccountId, resource: Resource, rows: number, isUrgent = false): ColumnIndex | undefined {
    const { minRows, maxBytes } = this.#options;
    if (rows < minRows || maxBytes === 0 || this.#isClosed) return undefined;
    const name = nameOf(account, resource);
    const used = this.#indexes.get(name);
    if (used !== undefined && !used.index.isDropped) {
      used.usedAt = performance.now();
      this.#indexes.delete(name);
      this.#indexes.set(name, used);
      return used.index;
    }
    this.#indexes.delete(name);
    const bytes = rows * resource.fields.length * BYTES_PER_VALUE;
    const times = isUrgent ? this.#options.minDemand : 1;
    if (this.#demand.isEnough(name, times) && this.#building === undefined && this.#makeRoom(bytes, account)) {
      this.#building = this.#build(name, account, resource).finally(() => {
        this.#building = undefined;
      });
    }
    return undefined;
  }

  async #build(name: string, account: AccountId, resource: Resource): Promise<void> {
    const index = new ColumnIndex(account, resource, this.#parts);
    this.#indexes.set(name, { index, usedAt: performance.now() });
    const started = performance.now();
    await index.build().catch((error: unknown) => {
      // It may end early because it was dropped.
      if (!index.isDropped) this.#options.onFailed(error);
      index.drop();
    });
    if (index.isDropped) this.#demand.postpone(name);
    else this.#options.onBuilt({ account, resource, bytes: index.bytes, milliseconds: performance.now() - started });
  }

  /** Whether there is, or can be made, room for N bytes of an account. */
  #makeRoom(bytes: number, account: AccountId): boolean {
    const isReplaceable = this.#isReplaceableBy(account);
    const free = this.#options.maxBytes - this.#bytesOf((used) => !isReplaceable(used));
    if (bytes > free) return false;
    for (const used of this.#indexes.values())
      if (isReplaceable(used) && this.#bytesOf(() => true) + bytes > this.#options.maxBytes) used.index.drop();
    return true;
  }

  /** Indexes that are not used give way, and those of another account that has more than its share of the budget. */
  #isReplaceableBy(account: AccountId): (used: UsedIndex) => boolean {
    const isUnused = isUnusedFor(this.#options.replaceableAfter);
    const accounts = new Set([account, ...[...this.#indexes.values()].map(({ index }) => index.account)]);
    const share = this.#options.maxBytes / accounts.size;
    return (used) => {
      const { account: owner } = used.index;
      return isUnused(used) || (owner !== account && this.#bytesOf(({ index }) => index.account === owner) > share);
    };
  }

  /** An index that has grown gives way itself if no other can. */
  #keepWithinBudget(index: ColumnIndex): void {
    if (this.#bytesOf(() => true) > this.#options.maxBytes && !this.#makeRoom(0, index.account)) index.drop();
  }

  #dropUnused(): void {
    const isUnused = isUnusedFor(this.#options.droppedAfter);
    for (const [name, used] of this.#indexes) {
      if (isUnused(used)) used.index.drop();
      if (used.index.isDropped) this.#indexes.delete(name);
    }
  }

  #bytesOf(isCounted: (used: UsedIndex) => boolean): number {
    let bytes = 0;
    for (const used of this.#indexes.values()) if (!used.index.isDropped && isCounted(used)) bytes += used.index.bytes;
    return bytes;
  }
}

interface UsedIndex {
  readonly index: ColumnIndex;
  /** On the monotonic clock. */
  usedAt: number;
}

function isUnusedFor(milliseconds: number): (used: UsedIndex) => boolean {
  const now = performance.now();
  return ({ index, usedAt }) => index.isBuilt && now - usedAt >= milliseconds;
}

function nameOf(account: AccountId, resource: Resource): string {
  return `${account} ${resource.name}`;
}
