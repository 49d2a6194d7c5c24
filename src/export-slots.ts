/** Limits concurrent exports: each holds a connection and a snapshot for as long as its client reads. */

import { Problem } from './problem/problem.ts';
import type { Export, NoAccess } from './store/store.ts';

/** The most exports that a process sends at the same time. */
const MAX_EXPORTS = 16;

/** Seconds after which a retry is worthwhile. */
const RETRY_AFTER = 5;

export class ExportSlots {
  #used = 0;

  /**
   * Opens an export, which releases its slot when it is closed. Its first chunk is awaited, so that an early error is
   * reported like any other; `onError` is called for later ones.
   */
  async open(
    open: () => Promise<Export | NoAccess>,
    onError: (error: unknown) => void,
  ): Promise<Export | NoAccess | Problem> {
    if (this.#used === MAX_EXPORTS) return noSlot();
    this.#used += 1;
    let opened: Export | NoAccess | undefined;
    try {
      opened = await open();
      if (opened !== 'no access') return this.#withSlot(opened, await opened.next(), onError);
    } catch (error) {
      this.#used -= 1;
      if (typeof opened === 'object') await opened.close();
      throw error;
    }
    this.#used -= 1;
    return 'no access';
  }

  #withSlot(opened: Export, first: Uint8Array | undefined, onError: (error: unknown) => void): Export {
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
        this.#used -= 1;
        await close();
      },
    };
  }
}

function noSlot(): Problem {
  return new Problem('exports_busy', `${MAX_EXPORTS} exports are running, which is the limit.`, {
    headers: { 'retry-after': String(RETRY_AFTER) },
  });
}
