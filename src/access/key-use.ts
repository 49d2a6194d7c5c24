/** Tracks when keys were last used, and stores it periodically: a write per request would cost more than the request. */

import type { Emit } from '../observe/events.ts';
import type { Keys } from '../store/store.ts';

/** How often uses are stored, in milliseconds. */
const FLUSH_INTERVAL = 60_000;

export class KeyUse {
  readonly #keys: Keys;
  readonly #emit: Emit;
  readonly #timer: NodeJS.Timeout;
  /** Milliseconds since the epoch, by key id. */
  #lastUsed = new Map<string, number>();

  constructor(keys: Keys, emit: Emit) {
    this.#keys = keys;
    this.#emit = emit;
    this.#timer = setInterval(() => void this.#flush(), FLUSH_INTERVAL).unref();
  }

  record(keyId: string): void {
    this.#lastUsed.set(keyId, Date.now());
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flush();
  }

  /** What cannot be stored now is stored the next time. */
  async #flush(): Promise<void> {
    const lastUsed = this.#lastUsed;
    if (lastUsed.size === 0) return;
    this.#lastUsed = new Map();
    try {
      await this.#keys.recordUse(new Map([...lastUsed].map(([id, at]) => [id, new Date(at).toISOString()])));
    } catch (error) {
      this.#emit({ kind: 'key use not stored', error });
      this.#lastUsed = new Map([...lastUsed, ...this.#lastUsed]);
    }
  }
}
