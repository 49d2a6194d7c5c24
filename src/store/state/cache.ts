/**
 * Cached entries under one byte budget. Each is charged to an account. If the budget is exceeded, an account that takes more
 * than its share of it gives up entries first, then the least recently used account; of its entries, the least recently
 * used.
 */

import type { AccountId } from '../account-id.ts';
import { type Linked, RecencyList } from './recency-list.ts';

/** The share of the budget that an account keeps, whatever others cache. It may take more while nobody else needs it. */
const MAX_SHARE = 1 / 4;

/** What is cached. */
export type CacheName = 'sessions' | 'versions' | 'responses' | 'totals' | 'anchors' | 'computed';

/** How often something was looked for, and found or not. */
export interface Lookups {
  hits: number;
  misses: number;
}

export class CacheBudget {
  readonly maxBytes: number;
  readonly #lookups = new Map<CacheName, Lookups>();
  /** Those that have entries. */
  readonly #shares = new Map<AccountId, Share>();
  readonly #recency = new RecencyList<Share>();
  /** Those with more than their share: three at most. */
  readonly #large = new Set<Share>();
  #bytes = 0;

  /** 0 disables caching. */
  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get maxShareBytes(): number {
    return this.maxBytes * MAX_SHARE;
  }

  /** By cache. */
  get lookups(): ReadonlyMap<CacheName, Readonly<Lookups>> {
    return this.#lookups;
  }

  /** Groups of the same name count together. */
  lookupsOf(name: CacheName): Lookups {
    const known = this.#lookups.get(name);
    if (known !== undefined) return known;
    const lookups = { hits: 0, misses: 0 };
    this.#lookups.set(name, lookups);
    return lookups;
  }

  shareOf(account: AccountId): Share {
    const known = this.#shares.get(account);
    return known ?? { account, bytes: 0, entries: new RecencyList(), older: undefined, newer: undefined };
  }

  /** Called by a group that has a new entry. */
  added(entry: Entry<unknown>): void {
    const { share } = entry;
    if (share.bytes === 0) {
      this.#shares.set(share.account, share);
      this.#recency.add(share);
    }
    share.entries.add(entry);
    share.bytes += entry.bytes;
    this.#bytes += entry.bytes;
    this.#recency.touch(share);
    if (share.bytes > this.maxShareBytes) this.#large.add(share);
    while (this.#bytes > this.maxBytes) evictOldest(this.#largest() ?? this.#recency.oldest);
  }

  #largest(): Share | undefined {
    let largest: Share | undefined;
    for (const share of this.#large) if (share.bytes > (largest?.bytes ?? 0)) largest = share;
    return largest;
  }

  /** Called by a group whose entry was read. */
  used(entry: Entry<unknown>): void {
    entry.share.entries.touch(entry);
    this.#recency.touch(entry.share);
  }

  /** Called by a group that removed an entry. */
  removed(entry: Entry<unknown>): void {
    const { share } = entry;
    share.entries.remove(entry);
    share.bytes -= entry.bytes;
    this.#bytes -= entry.bytes;
    if (share.bytes <= this.maxShareBytes) this.#large.delete(share);
    if (share.bytes > 0) return;
    this.#shares.delete(share.account);
    this.#recency.remove(share);
  }
}

function evictOldest(share: Share | undefined): void {
  const entry = share?.entries.oldest;
  entry?.group.delete(entry.key);
}

/** The entries of one account, whichever groups they are in. */
interface Share extends Linked<Share> {
  readonly account: AccountId;
  readonly entries: RecencyList<Entry<unknown>>;
  bytes: number;
}

interface Entry<Value> extends Linked<Entry<unknown>> {
  readonly key: string;
  readonly value: Value;
  readonly group: CacheGroup<unknown>;
  readonly share: Share;
  readonly bytes: number;
}

/** The approximate overhead of an entry in bytes. */
const ENTRY_OVERHEAD = 200;

export interface Charge {
  readonly account: AccountId;
  /** The approximate size of the value in bytes. */
  readonly bytes: number;
}

/** Entries that belong together and can be dropped together. */
export class CacheGroup<Value> {
  readonly #budget: CacheBudget;
  readonly #lookups: Lookups;
  readonly #entries = new Map<string, Entry<Value>>();
  #isClosed = false;

  constructor(budget: CacheBudget, name: CacheName) {
    this.#budget = budget;
    this.#lookups = budget.lookupsOf(name);
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      this.#lookups.misses += 1;
      return undefined;
    }
    this.#lookups.hits += 1;
    this.#budget.used(entry);
    return entry.value;
  }

  /** Neither counts as a lookup nor as a use of the entry. */
  peek(key: string): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Whether this very value is kept. */
  has(key: string, value: Value): boolean {
    return this.#entries.get(key)?.value === value;
  }

  /** An entry that is too large for the account's share is not kept. */
  set(key: string, value: Value, { account, bytes: valueBytes }: Charge): void {
    this.delete(key);
    const bytes = ENTRY_OVERHEAD + 2 * key.length + valueBytes;
    if (this.#isClosed || bytes > this.#budget.maxShareBytes) return;
    const share = this.#budget.shareOf(account);
    const entry: Entry<Value> = { key, value, group: this, share, bytes, older: undefined, newer: undefined };
    this.#entries.set(key, entry);
    this.#budget.added(entry);
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#budget.removed(entry);
  }

  clear(): void {
    for (const entry of this.#entries.values()) this.#budget.removed(entry);
    this.#entries.clear();
  }

  /** Drops everything, and keeps nothing from now on. */
  close(): void {
    this.#isClosed = true;
    this.clear();
  }
}
