/** How many exports may be under way at once: each holds a connection and a snapshot for as long as its reader takes. */

import { Problem } from './problem/problem.ts';
import type { Export } from './store/store.ts';

const MAX_EXPORTS = 16;

/** Seconds after which it is worth trying again. */
const RETRY_AFTER = 5;

export class ExportSlots {
  #taken = 0;

  /**
   * The export gives its place back when it is closed. Its first piece is waited for, so that what fails at once is told
   * as any failure is; `onFailure` hears of what goes wrong later.
   */
  async begin(
    open: () => Promise<Export | undefined>,
    onFailure: (error: unknown) => void,
  ): Promise<Export | undefined | Problem> {
    if (this.#taken === MAX_EXPORTS) return noneFree();
    this.#taken += 1;
    let found: Export | undefined;
    try {
      found = await open();
      if (found !== undefined) return this.#begun(found, await found.next(), onFailure);
    } catch (error) {
      this.#taken -= 1;
      await found?.close();
      throw error;
    }
    this.#taken -= 1;
    return undefined;
  }

  #begun(found: Export, first: Uint8Array | undefined, onFailure: (error: unknown) => void): Export {
    const { next, close, ...facts } = found;
    let ahead: { readonly piece: Uint8Array | undefined } | undefined = { piece: first };
    let isClosed = false;
    return {
      ...facts,
      async next() {
        const taken = ahead;
        ahead = undefined;
        try {
          return taken === undefined ? await next() : taken.piece;
        } catch (error) {
          // What was under way when the client went away is broken off, and that is no failure.
          if (!isClosed) onFailure(error);
          throw error;
        }
      },
      close: async () => {
        isClosed = true;
        this.#taken -= 1;
        await close();
      },
    };
  }
}

function noneFree(): Problem {
  return new Problem('exports_busy', `${MAX_EXPORTS} exports are under way, as many as are served at once.`, {
    headers: { 'retry-after': String(RETRY_AFTER) },
  });
}
