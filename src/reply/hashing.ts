/** Hashes streams on another thread: the serving thread only passes their chunks on. */

import { siblingModule, Thread } from '../threads/thread.ts';
import type { HashCommand, HashResult } from './hash-thread.ts';

export class Hashing {
  readonly #thread = new Thread<HashCommand, HashResult, unknown>({
    module: siblingModule(import.meta.url, 'hash-thread'),
    errorOf: (failure) => failure,
  });
  #begun = 0;

  /** In hexadecimal. A chunk is read while the one before it is hashed. */
  async sha256(next: () => Promise<Uint8Array | undefined>): Promise<string> {
    this.#begun += 1;
    const hash = this.#begun;
    await this.#thread.call({ kind: 'begin', hash });
    let hashed: Promise<unknown> = Promise.resolve();
    try {
      for (let bytes = await next(); bytes !== undefined; bytes = await next()) {
        await hashed;
        hashed = this.#thread.call({ kind: 'update', hash, bytes });
        // Reported when it is awaited.
        hashed.catch(() => undefined);
      }
      await hashed;
      return (await this.#thread.call({ kind: 'digest', hash })).digest;
    } finally {
      await this.#thread.call({ kind: 'end', hash });
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
