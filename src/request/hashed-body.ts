/** A body that is read in pieces, and hashed meanwhile, so that a repeated request can be told from another one. */

import { createHash, type Hash } from 'node:crypto';
import { withRequest } from './idempotency-key.ts';

export class HashedBody {
  readonly #pieces: AsyncIterator<Uint8Array>;
  readonly #hash = createHash('sha256');
  #resolve: () => void = () => {};
  /** Resolves when all of it has arrived. */
  readonly received = new Promise<void>((resolve) => {
    this.#resolve = resolve;
  });
  #isReceived = false;
  /** What has arrived, and not been read. */
  readonly #start: Uint8Array[] = [];

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  get isReceived(): boolean {
    return this.#isReceived;
  }

  /** Resolves when all of it has arrived, or more than this many bytes have: whether it is all. */
  async isAtMost(length: number): Promise<boolean> {
    let arrived = 0;
    while (arrived <= length) {
      const piece = await this.#next();
      if (piece === undefined) return true;
      this.#start.push(piece);
      arrived += piece.length;
    }
    return false;
  }

  async *bytes(): AsyncIterable<Uint8Array> {
    try {
      yield* this.#start.splice(0);
      for (let piece = await this.#next(); piece !== undefined; piece = await this.#next()) yield piece;
    } finally {
      await this.#pieces.return?.();
    }
  }

  /** As hexadecimal digits. Undefined unless all of it has arrived. */
  get hash(): string | undefined {
    return this.#isReceived ? this.#hash.copy().digest('hex') : undefined;
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#isReceived) return undefined;
    const { done, value } = await this.#pieces.next();
    if (done !== true) {
      this.#hash.update(value);
      return value;
    }
    this.#isReceived = true;
    this.#resolve();
    return undefined;
  }

  /** The fingerprint is known once all of the body has been read. `what` is requested besides. */
  idempotency(key: string, what: string): HashedIdempotency {
    return new HashedIdempotency(key, this.#hash, what);
  }
}

class HashedIdempotency {
  readonly key: string;
  readonly #hash: Hash;
  readonly #what: string;

  constructor(key: string, hash: Hash, what: string) {
    this.key = key;
    this.#hash = hash;
    this.#what = what;
  }

  get fingerprint(): string {
    return withRequest(this.#hash.copy().update(`\n${this.#what}`).digest('hex'), 'import');
  }
}
