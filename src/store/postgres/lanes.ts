/** The connections that write. Few do, so that what is locked keeps none of the rest waiting and none takes them all. */

import { isConnectionLost, sqlState } from './errors.ts';
import type { Lane } from './lane.ts';

/** Connections that write at most. */
const MAX_LANES = 4;

export class Lanes {
  readonly #open: () => Promise<Lane>;
  readonly #idle: Lane[] = [];
  /** Whoever comes while all are in use, in order. */
  readonly #waiting: (() => void)[] = [];
  #used = 0;

  constructor(open: () => Promise<Lane>) {
    this.#open = open;
  }

  async use<Result>(body: (lane: Lane) => Promise<Result>): Promise<Result> {
    if (this.#used === MAX_LANES) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#used += 1;
    let lane: Lane | undefined;
    try {
      lane = this.#idle.pop() ?? (await this.#open());
      const result = await body(lane);
      this.#idle.push(lane);
      return result;
    } catch (error) {
      // Where the server has not said no, it is not known what became of it, and the connection is not used again.
      if (lane !== undefined && sqlState(error) !== undefined && !isConnectionLost(error)) this.#idle.push(lane);
      else await lane?.close();
      throw error;
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#used -= 1;
      else next();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.map((lane) => lane.close()));
  }
}
