/**
 * Counts the bytes of responses that clients have not read yet, by account. They are held in memory, so an account that
 * has too many of them gets no further responses until it has read some.
 */

import { Problem } from '../problem/problem.ts';

/** The maximum number of bytes that are held for one account. */
const MAX_BYTES_PER_ACCOUNT = 32 * 1024 * 1024;

/** The maximum number of bytes that are held for all accounts. The accounts that hold any share it equally. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Seconds after which a retry is worthwhile. */
const RETRY_AFTER = 5;

export class UnsentBytes {
  readonly #byAccount = new Map<number, number>();

  /** Of all accounts. */
  get total(): number {
    let total = 0;
    for (const bytes of this.#byAccount.values()) total += bytes;
    return total;
  }

  /** Counts the bytes of one response until it is closed. */
  hold(account: number): HeldBytes {
    return new HeldBytes((bytes) => {
      const held = (this.#byAccount.get(account) ?? 0) + bytes;
      if (held > 0) this.#byAccount.set(account, held);
      else this.#byAccount.delete(account);
    });
  }

  /** Whether this many bytes would exceed the account's share. An account that holds none may always add some. */
  check(account: number, bytes = 0): Problem | undefined {
    const held = this.#byAccount.get(account);
    if (held === undefined) return undefined;
    const share = Math.min(MAX_BYTES_PER_ACCOUNT, MAX_BYTES / this.#byAccount.size);
    if (held + bytes <= share) return undefined;
    return new Problem('responses_unread', `The client has not read ${held} bytes of earlier responses.`, {
      headers: { 'retry-after': String(RETRY_AFTER) },
    });
  }
}

/** The bytes that are held for one response. */
export class HeldBytes {
  readonly #count: (bytes: number) => void;
  #bytes = 0;
  #isClosed = false;

  /** `count` adds to the bytes of the account. */
  constructor(count: (bytes: number) => void) {
    this.#count = count;
  }

  /** Has no effect once it is closed: the next chunk of a stream may arrive after its client has left. */
  add(bytes: number): void {
    if (this.#isClosed) return;
    this.#bytes += bytes;
    this.#count(bytes);
  }

  /** They are sent. */
  remove(bytes: number): void {
    this.add(-bytes);
  }

  /** Everything is sent or dropped. */
  close(): void {
    this.remove(this.#bytes);
    this.#isClosed = true;
  }
}
