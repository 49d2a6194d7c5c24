/** A body that is read in pieces, and hashed meanwhile, so that a repeated request can be told from another one. */

import { createHash, type Hash } from 'node:crypto';

export class HashedBody {
  readonly #pieces: AsyncIterable<Uint8Array>;
  readonly #hash = createHash('sha256');
  #resolve: () => void = () => {};
  /** Resolves when all of it has arrived. */
  readonly received = new Promise<void>((resolve) => {
    this.#resolve = resolve;
  });
  #isReceived = false;

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces;
  }

  get isReceived(): boolean {
    return this.#isReceived;
  }

  async *bytes(): AsyncIterable<Uint8Array> {
    for await (const piece of this.#pieces) {
      this.#hash.update(piece);
      yield piece;
    }
    this.#isReceived = true;
    this.#resolve();
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
    return this.#hash.copy().update(`\n${this.#what}`).digest('hex');
  }
}
