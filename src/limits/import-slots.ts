/** Limits concurrent imports: each takes memory, and what it has received so far takes disk. */

import { Problem } from '../problem/problem.ts';
import type { AccountId } from '../store/store.ts';

/** The maximum number of imports under way in a process. */
export const MAX_IMPORTS = 32;

/** The maximum of one account; once half of all slots are taken, each account may have one. */
export const MAX_ACCOUNT_IMPORTS = 4;

/** Seconds after which a retry is worthwhile. */
const RETRY_AFTER = 5;

export interface ImportSlot {
  readonly release: () => void;
}

export class ImportSlots {
  /** Each resolves when its slot is released. */
  readonly #taken = new Set<Promise<void>>();
  readonly #takenBy = new Map<AccountId, number>();

  get used(): number {
    return this.#taken.size;
  }

  /** It has to be released, even if the import outlasts its request. */
  take(account: AccountId): ImportSlot | Problem {
    const own = this.#takenBy.get(account) ?? 0;
    const maxOwn = this.used < MAX_IMPORTS / 2 ? MAX_ACCOUNT_IMPORTS : 1;
    if (own >= maxOwn) {
      const imports = own === 1 ? '1 import of this account is' : `${own} imports of this account are`;
      return noSlot(`${imports} under way, which is the limit now.`);
    }
    if (this.used >= MAX_IMPORTS) return noSlot(`${MAX_IMPORTS} imports are under way, which is the limit.`);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#taken.add(promise);
    this.#takenBy.set(account, own + 1);
    return {
      release: () => {
        this.#taken.delete(promise);
        const left = (this.#takenBy.get(account) ?? 0) - 1;
        if (left > 0) this.#takenBy.set(account, left);
        else this.#takenBy.delete(account);
        resolve();
      },
    };
  }

  /** Resolves when those that are taken now are released. */
  async idle(): Promise<void> {
    await Promise.all(this.#taken);
  }
}

export function noSlot(detail: string): Problem {
  return new Problem('too_many_imports', detail, {
    headers: { 'retry-after': String(RETRY_AFTER), connection: 'close' },
  });
}
