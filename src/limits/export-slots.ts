/** Limits concurrent exports: each holds a connection and a snapshot for as long as its client reads. */

import { Problem } from '../problem/problem.ts';
import type { AccountId, Export, NoAccess } from '../store/store.ts';

/** The maximum number of exports that a process sends at the same time, and the maximum of one account. */
const MAX_EXPORTS = 16;
const MAX_ACCOUNT_EXPORTS = 4;

/** Seconds after which a retry is worthwhile. */
const RETRY_AFTER = 5;

export class ExportSlots {
  #used = 0;
  readonly #usedBy = new Map<AccountId, number>();

  /** How many are taken. */
  get used(): number {
    return this.#used;
  }

  /**
   * Opens an export, which releases its slot when it is closed. Its first chunk is awaited, so that an early error is
   * reported like any other; `onError` is called for later ones.
   */
  async open(
    account: AccountId,
    open: () => Promise<Export | NoAccess>,
    onError: (error: unknown) => void,
  ): Promise<Export | NoAccess | Problem> {
    const own = this.#usedBy.get(account) ?? 0;
    if (own === MAX_ACCOUNT_EXPORTS) return noSlot(`${own} exports of this account are running, which is the limit.`);
    if (this.#used === MAX_EXPORTS) return noSlot(`${MAX_EXPORTS} exports are running, which is the limit.`);
    this.#used += 1;
    this.#usedBy.set(account, own + 1);
    let opened: Export | NoAccess | undefined;
    try {
      opened = await open();
      if (opened !== 'no access') return this.#withSlot(account, opened, await opened.next(), onError);
    } catch (error) {
      this.#release(account);
      if (typeof opened === 'object') await opened.close();
      throw error;
    }
    this.#release(account);
    return 'no access';
  }

  #release(account: AccountId): void {
    this.#used -= 1;
    const own = (this.#usedBy.get(account) ?? 0) - 1;
    if (own > 0) this.#usedBy.set(account, own);
    else this.#usedBy.delete(account);
  }

  #withSlot(
    account: AccountId,
    opened: Export,
    first: Uint8Array | undefined,
    onError: (error: unknown) => void,
  ): Export {
    const { next, close, ...facts } = opened;
    let ahead: { readonly chunk: Uint8Array | undefined } | undefined = { chunk: first };
    let isClosed = false;
    return {
      ...facts,
      async next() {
        const taken = ahead;
        ahead = undefined;
        try {
          return taken === undefined ? await next() : taken.chunk;
        } catch (error) {
          // A client that disconnects aborts the read, which is not an error.
          if (!isClosed) onError(error);
          throw error;
        }
      },
      close: async () => {
        if (isClosed) return;
        isClosed = true;
        // At once: the client may have read everything, and begin its next export.
        this.#release(account);
        await close();
      },
    };
  }
}

function noSlot(detail: string): Problem {
  return new Problem('exports_busy', detail, {
    headers: { 'retry-after': String(RETRY_AFTER) },
  });
}
