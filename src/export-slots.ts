/** How many exports may be under way at once: each holds a connection and a snapshot for as long as its reader takes. */

import { Problem } from './problem/problem.ts';
import type { Export } from './store/store.ts';

const MAX_EXPORTS = 16;

/** Seconds after which it is worth trying again. */
const RETRY_AFTER = 5;

export class ExportSlots {
  #taken = 0;

  /** The export gives its place back when it is closed. `onFailure` hears of what goes wrong after it was opened. */
  async begin(
    open: () => Promise<Export | undefined>,
    onFailure: (error: unknown) => void,
  ): Promise<Export | undefined | Problem> {
    if (this.#taken === MAX_EXPORTS) return noneFree();
    this.#taken += 1;
    let found: Export | undefined;
    try {
      found = await open();
    } finally {
      if (found === undefined) this.#taken -= 1;
    }
    if (found === undefined) return undefined;
    const { next, close, ...facts } = found;
    return {
      ...facts,
      async next() {
        try {
          return await next();
        } catch (error) {
          onFailure(error);
          throw error;
        }
      },
      close: async () => {
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
