/** Tracks when keys were last used, and stores it periodically: a write per request would cost more than the request. */

import type { Emit } from '../observe/events.ts';
import type { CancelTimer, Clock } from '../schedule/clock.ts';
import type { Keys } from '../store/store.ts';

/** How often uses are stored, in milliseconds. */
const FLUSH_INTERVAL = 60_000;

export class KeyUse {
  readonly #keys: Keys;
  readonly #emit: Emit;
  readonly #clock: Clock;
  readonly #cancelTimer: CancelTimer;
  /** Milliseconds since the epoch, by key id. */
  #lastUsed = new Map<string, number>();

  constructor(keys: Keys, emit: Emit, clock: Clock) {
    this.#keys = keys;
    this.#emit = emit;
    this.#clock = clock;
    this.#cancelTimer = clock.every(FLUSH_INTERVAL, () => void this.#flush());
  }

  record(keyId: string): void {
    this.#lastUsed.set(keyId, this.#clock.wall());
  }

  async close(): Promise<void> {
    this.#cancelTimer();
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
