/** The thread that hashes streams. */

import { createHash, type Hash } from 'node:crypto';
import { type CommandHandler, runThread } from '../threads/run-thread.ts';

/** `hash` is a number that identifies the stream. */
export type HashCommand =
  | { readonly kind: 'begin'; readonly hash: number }
  | { readonly kind: 'update'; readonly hash: number; readonly bytes: Uint8Array }
  | { readonly kind: 'digest'; readonly hash: number }
  | { readonly kind: 'end'; readonly hash: number };

export interface HashResult {
  /** In hexadecimal; empty before the end. */
  readonly digest: string;
}

const NOT_YET: HashResult = { digest: '' };

class HashHandler implements CommandHandler<HashCommand, HashResult> {
  readonly #hashes = new Map<number, Hash>();

  execute(command: HashCommand): HashResult {
    switch (command.kind) {
      case 'begin':
        this.#hashes.set(command.hash, createHash('sha256'));
        return NOT_YET;
      case 'update':
        this.#hash(command.hash).update(command.bytes);
        return NOT_YET;
      case 'digest':
        return { digest: this.#hash(command.hash).digest('hex') };
      case 'end':
        this.#hashes.delete(command.hash);
        return NOT_YET;
    }
  }

  #hash(number: number): Hash {
    const hash = this.#hashes.get(number);
    if (hash === undefined) throw new Error('the hash has not begun in this thread');
    return hash;
  }

  close(): void {
    this.#hashes.clear();
  }
}

runThread(
  () => new HashHandler(),
  (error) => error,
);
