/**
 * Waits for ledgers to change. All waiters share one loop: it asks the engine whether anything was written, and only then reads the versions of the
 * accounts that somebody waits for.
 */

import { setImmediate } from 'node:timers/promises';
import type { Engine } from '../engine/engine.ts';
import type { AccountId } from '../store.ts';
import { TooManyWaiters } from '../store-error.ts';
import { isSameVersion, type LedgerVersion } from '../version.ts';
import type { VersionChecks } from './version-checks.ts';

/** How often the engine is asked, in milliseconds. */
const INTERVAL = 100;

/** How many waiters are woken up in one iteration of the event loop. */
const WOKEN_PER_ITERATION = 20;

/** The maximum number of requests of one account that wait: half of the connections that a process has by default. */
const MAX_WAITERS = 2_048;

interface Waiter {
  readonly resource: string;
  readonly version: LedgerVersion;
  readonly resolve: () => void;
}

export class VersionWatch {
  readonly #engine: Pick<Engine, 'lastWrite' | 'clock'>;
  readonly #versions: Pick<VersionChecks, 'current'>;
  readonly #waiters = new Map<AccountId, Set<Waiter>>();
  #isRunning = false;
  #isClosed = false;
  /** Those for which somebody has begun to wait since the last check: the version may have changed before. */
  readonly #unchecked = new Set<AccountId>();
  /** Those whose version is being read. That may take long for some of them, which must not delay the others. */
  readonly #checking = new Set<AccountId>();
  #lastWrite: string | undefined;

  constructor(engine: Pick<Engine, 'lastWrite' | 'clock'>, versions: Pick<VersionChecks, 'current'>) {
    this.#engine = engine;
    this.#versions = versions;
  }

  /** How many requests wait. */
  get waiting(): number {
    let waiting = 0;
    for (const waiters of this.#waiters.values()) waiting += waiters.size;
    return waiting;
  }

  /** Resolves when the ledger no longer has this version, when the signal aborts, or when the watch is closed. */
  async changed(account: AccountId, resource: string, version: LedgerVersion, signal: AbortSignal): Promise<void> {
    if (this.#isClosed || signal.aborted) return;
    if (this.#waiters.get(account)?.size === MAX_WAITERS) throw new TooManyWaiters(MAX_WAITERS);
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const resolve = () => end();
    const waiter = { resource, version, resolve };
    const waiters = this.#waiters.get(account) ?? new Set();
    this.#waiters.set(account, waiters.add(waiter));
    this.#unchecked.add(account);
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
      // While the database is unavailable, everybody keeps waiting.
      await this.#check().catch(() => undefined);
      await new Promise<void>((resolve) => this.#engine.clock.after(INTERVAL, resolve));
    }
    this.#isRunning = false;
  }

  async #check(): Promise<void> {
    const lastWrite = await this.#engine.lastWrite();
    const accounts = lastWrite === this.#lastWrite ? [...this.#unchecked] : [...this.#waiters.keys()];
    for (const account of accounts)
      if (this.#checking.has(account)) this.#unchecked.add(account);
      else void this.#wake(account);
    this.#lastWrite = lastWrite;
  }

  async #wake(account: AccountId): Promise<void> {
    // Requests that start waiting from now on are checked next time.
    this.#unchecked.delete(account);
    const waiters = [...(this.#waiters.get(account) ?? [])];
    this.#checking.add(account);
    const current = await this.#versions.current(account).catch(() => 'unavailable' as const);
    this.#checking.delete(account);
    if (current === 'unavailable') {
      this.#unchecked.add(account);
      return;
    }
    const woken = waiters.filter(({ resource, version }) => {
      const ledger = current?.ledger.get(resource);
      return ledger === undefined || !isSameVersion(ledger, version);
    });
    for (const [index, { resolve }] of woken.entries()) {
      resolve();
      // What they do next takes time, and other requests are handled in between.
      if (index % WOKEN_PER_ITERATION === WOKEN_PER_ITERATION - 1) await setImmediate();
    }
  }
}
