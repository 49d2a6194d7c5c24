/** Remembers when keys were last used, and writes it down now and then: a write for every request would cost more than the request. */

import type { Emit } from '../events.ts';
import type { Keys } from '../store/store.ts';

/** How far what is written may lie behind, in milliseconds. */
const FLUSH_INTERVAL = 60_000;

export class KeyUse {
  readonly #keys: Keys;
  readonly #emit: Emit;
  readonly #timer: NodeJS.Timeout;
  /** By the key's id, in milliseconds. */
  #lastUsed = new Map<string, number>();

  constructor(keys: Keys, emit: Emit) {
    this.#keys = keys;
    this.#emit = emit;
    this.#timer = setInterval(() => void this.#flush(), FLUSH_INTERVAL).unref();
  }

  note(keyId: string, now: number): void {
    this.#lastUsed.set(keyId, now);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#flush();
  }

  /** What cannot be written now is written the next time. */
  async #flush(): Promise<void> {
    const lastUsed = this.#lastUsed;
    if (lastUsed.size === 0) return;
    this.#lastUsed = new Map();
    try {
      await this.#keys.noteUse(new Map([...lastUsed].map(([id, at]) => [id, new Date(at).toISOString()])));
    } catch (error) {
      this.#emit({ kind: 'key use not noted', error });
      this.#lastUsed = new Map([...lastUsed, ...this.#lastUsed]);
    }
  }
}
