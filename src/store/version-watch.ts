/**
 * Waits for ledgers to change. All waiters share one loop: it asks the engine whether anything was written at all, and only
 * then which versions the accounts have that somebody waits for.
 */

import type { Engine } from './engine/engine.ts';
import type { AccountId } from './store.ts';
import { isSameVersion, type LedgerVersion } from './version.ts';
import type { VersionChecks } from './version-checks.ts';

/** How often the engine is asked, in milliseconds. */
const INTERVAL = 100;

interface Waiter {
  readonly resource: string;
  readonly version: LedgerVersion;
  readonly resolve: () => void;
}

export class VersionWatch {
  readonly #engine: Engine;
  readonly #versions: VersionChecks;
  readonly #waiters = new Map<AccountId, Set<Waiter>>();
  #isRunning = false;
  #isClosed = false;
  /** Whether somebody has begun to wait since the last check: the version may have changed before. */
  #hasNewWaiter = false;
  #lastWrite: string | undefined;

  constructor(engine: Engine, versions: VersionChecks) {
    this.#engine = engine;
    this.#versions = versions;
  }

  /** Resolves when the ledger no longer has this version, when the signal aborts, or when the watch is closed. */
  async changed(account: AccountId, resource: string, version: LedgerVersion, signal: AbortSignal): Promise<void> {
    if (this.#isClosed || signal.aborted) return;
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const resolve = () => end();
    const waiter = { resource, version, resolve };
    const waiters = this.#waiters.get(account) ?? new Set();
    this.#waiters.set(account, waiters.add(waiter));
    this.#hasNewWaiter = true;
    signal.addEventListener('abort', resolve, { once: true });
    if (!this.#isRunning) void this.#run();
    await promise;
    signal.removeEventListener('abort', resolve);
    waiters.delete(waiter);
    if (waiters.size === 0) this.#waiters.delete(account);
  }

  /** Nobody waits any more. */
  close(): void {
    this.#isClosed = true;
    for (const waiters of this.#waiters.values()) for (const { resolve } of waiters) resolve();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiters.size > 0) {
      // While the database is unavailable, everybody goes on waiting.
      await this.#check().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, INTERVAL).unref());
    }
    this.#isRunning = false;
  }

  async #check(): Promise<void> {
    const lastWrite = await this.#engine.lastWrite();
    if (lastWrite === this.#lastWrite && !this.#hasNewWaiter) return;
    this.#hasNewWaiter = false;
    await Promise.all([...this.#waiters].map(([account, waiters]) => this.#wake(account, waiters)));
    this.#lastWrite = lastWrite;
  }

  async #wake(account: AccountId, waiters: ReadonlySet<Waiter>): Promise<void> {
    const current = await this.#versions.current(account);
    for (const { resource, version, resolve } of waiters) {
      const ledger = current?.ledger.get(resource);
      if (ledger === undefined || !isSameVersion(ledger, version)) resolve();
    }
  }
}
