/**
 * The indexes of a node: columns in memory, for resources that are worth it, because they have many records, and lists of them were slow.
 * A thread finds pages and totals in the columns, and the database is only asked for the records of a page. All indexes share a budget.
 * An index that was not used for a while gives way to others, and is dropped in the end.
 */

import type { Resource } from '../../catalog/resource.ts';
import type { CancelTimer, Clock } from '../../schedule/clock.ts';
import type { Deadline } from '../../schedule/deadline.ts';
import { FairQueue } from '../../schedule/fair-queue.ts';
import type { SqlFields } from '../fields/fields.ts';
import type { ChangeFeed } from '../records/change-feed.ts';
import type { IndexStats } from '../stats.ts';
import type { AccountId } from '../store.ts';
import { ColumnIndex, type IndexParts } from './column-index.ts';
import type { ColumnSteps } from './column-steps.ts';
import { Demand } from './demand.ts';
import type { IndexHolder, IndexRequest } from './index-holder.ts';

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

/** A resource with fewer records is not indexed: reading them all takes a few milliseconds. */
export const MIN_ROWS = 20_000;

const DEFAULTS = {
  minRows: MIN_ROWS,
  minDemand: 2,
  replaceableAfter: 60_000,
  droppedAfter: 600_000,
  onBuilt: () => undefined,
  onDropped: () => undefined,
  onFailed: () => undefined,
};

/** If more requests of an account were under way, all of them would end late instead of one after another. */
const REQUEST_LIMITS = { slots: Number.POSITIVE_INFINITY, maxRunning: 2, maxQueued: 100 };

/** The approximate memory for a value, to tell in advance whether an index fits. */
const BYTES_PER_VALUE = 12;

export class ColumnIndexes implements IndexHolder {
  readonly #options: Required<ColumnIndexOptions>;
  readonly #fields: SqlFields;
  readonly #parts: IndexParts;
  readonly #demand: Demand;
  /** Least recently used first. */
  readonly #indexes = new Map<string, UsedIndex>();
  /** One at a time. */
  #building: Promise<void> | undefined;
  readonly #clock: Clock;
  readonly #endChecks: CancelTimer;
  #isClosed = false;

  constructor(steps: ColumnSteps, changes: ChangeFeed, fields: SqlFields, options: ColumnIndexOptions, clock: Clock) {
    this.#fields = fields;
    this.#options = { ...DEFAULTS, ...options };
    this.#clock = clock;
    this.#demand = new Demand(this.#options.minDemand, clock);
    this.#parts = {
      steps,
      requests: new FairQueue(REQUEST_LIMITS, clock),
      changes,
      onStored: (index) => this.#keepWithinBudget(index),
      onDropped: (index) => {
        if (index.isBuilt && !this.#isClosed) this.#options.onDropped(index);
      },
    };
    this.#endChecks = clock.every(this.#options.droppedAfter / 10, () => this.#dropUnused());
  }

  async ask({ account, resource: { name, version }, ledger, isUrgent, cost, task }: IndexRequest, deadline: Deadline) {
    const resource = (await this.#fields.at(version))?.find(name);
    return resource && this.#indexFor(account, resource, ledger.rows, isUrgent)?.ask(task, ledger, cost, deadline);
  }

  get stats(): IndexStats {
    return {
      requests: this.#parts.requests.stats,
      indexes: [...this.#indexes.values()].filter(({ index }) => index.isUsable).length,
      bytes: this.#bytesOf(() => true),
      maxBytes: this.#options.maxBytes,
    };
  }

  forget(account: AccountId, resource: string): void {
    this.#indexes.get(nameOf(account, resource))?.index.drop();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#endChecks();
    const indexes = [...this.#indexes.values()];
    for (const { index } of indexes) index.drop();
    await Promise.all([this.#building, ...indexes.map(({ index }) => index.settled())]);
  }

  /** Has one built if there is none, and it is worth it, or needed at once. */
  #indexFor(account: AccountId, resource: Resource, rows: number, isUrgent: boolean): ColumnIndex | undefined {
    const { minRows, maxBytes } = this.#options;
    if (rows < minRows || maxBytes === 0 || this.#isClosed) return undefined;
    const name = nameOf(account, resource.name);
    const used = this.#indexes.get(name);
    // With other fields, it is another index.
    if (used !== undefined && used.index.resource.version !== resource.version) used.index.drop();
    if (used !== undefined && !used.index.isDropped) {
      used.usedAt = this.#clock.monotonic();
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
    this.#indexes.set(name, { index, usedAt: this.#clock.monotonic() });
    const started = this.#clock.monotonic();
    await index.build().catch((error: unknown) => {
      // It may end early because it was dropped.
      if (!index.isDropped) this.#options.onFailed(error);
      index.drop();
    });
    if (index.isDropped) this.#demand.postpone(name);
    else
      this.#options.onBuilt({ account, resource, bytes: index.bytes, milliseconds: this.#clock.monotonic() - started });
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
    const isUnused = this.#isUnusedFor(this.#options.replaceableAfter);
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
    const isUnused = this.#isUnusedFor(this.#options.droppedAfter);
    for (const [name, used] of this.#indexes) {
      if (isUnused(used)) used.index.drop();
      if (used.index.isDropped) this.#indexes.delete(name);
    }
  }

  #isUnusedFor(milliseconds: number): (used: UsedIndex) => boolean {
    const now = this.#clock.monotonic();
    return ({ index, usedAt }) => index.isBuilt && now - usedAt >= milliseconds;
  }

  #bytesOf(isCounted: (used: UsedIndex) => boolean): number {
    let bytes = 0;
    for (const used of this.#indexes.values()) if (!used.index.isDropped && isCounted(used)) bytes += used.index.bytes;
    return bytes;
  }
}

interface UsedIndex {
  readonly index: ColumnIndex;
  /** A monotonic time. */
  usedAt: number;
}

function nameOf(account: AccountId, resource: string): string {
  return `${account} ${resource}`;
}
