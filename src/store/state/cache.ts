/** Cached entries under one byte budget. If it is exceeded, the least recently used groups give up entries first. */

/** The share of the budget that one group may take, so that no account can displace all others. */
const MAX_SHARE = 1 / 4;

export class CacheBudget {
  readonly maxBytes: number;
  /** Least recently used first. */
  readonly #groups = new Set<CacheGroup<unknown>>();
  #bytes = 0;

  /** 0 disables caching. */
  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get maxGroupBytes(): number {
    return this.maxBytes * MAX_SHARE;
  }

  /** Called by a group after every use; `delta` is how much it grew. */
  used(group: CacheGroup<unknown>, delta: number): void {
    this.#bytes += delta;
    this.#groups.delete(group);
    if (group.bytes > 0) this.#groups.add(group);
    while (group.bytes > this.maxGroupBytes) group.evictOldest();
    for (const oldest of this.#groups) {
      if (this.#bytes <= this.maxBytes) return;
      while (oldest.bytes > 0 && this.#bytes > this.maxBytes) oldest.evictOldest();
    }
  }

  /** Called by a group that shrank. */
  freed(group: CacheGroup<unknown>, bytes: number): void {
    this.#bytes -= bytes;
    if (group.bytes === 0) this.#groups.delete(group);
  }
}

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
}

/** The approximate overhead of an entry in bytes. */
const ENTRY_OVERHEAD = 200;

/** Entries that belong together and can be dropped together. */
export class CacheGroup<Value> {
  readonly #budget: CacheBudget;
  /** Least recently used first. */
  readonly #entries = new Map<string, Entry<Value>>();
  #bytes = 0;
  #isClosed = false;

  constructor(budget: CacheBudget) {
    this.#budget = budget;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    this.#budget.used(this, 0);
    return entry.value;
  }

  /** `bytes` is the approximate size of the value. An entry that is too large for the group is not kept. */
  set(key: string, value: Value, bytes: number): void {
    this.delete(key);
    const size = ENTRY_OVERHEAD + 2 * key.length + bytes;
    if (this.#isClosed || size > this.#budget.maxGroupBytes) return;
    this.#entries.set(key, { value, bytes: size });
    this.#bytes += size;
    this.#budget.used(this, size);
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
    this.#budget.freed(this, entry.bytes);
  }

  evictOldest(): void {
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.delete(oldest);
  }

  clear(): void {
    const freed = this.#bytes;
    this.#entries.clear();
    this.#bytes = 0;
    this.#budget.freed(this, freed);
  }

  /** Drops everything, and keeps nothing from now on. */
  close(): void {
    this.#isClosed = true;
    this.clear();
  }
}
