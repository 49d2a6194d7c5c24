/** The connections that write. They are apart from those that read, and few, so that writes that wait for a lock hold up no reader. */

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
  #isClosed = false;

  constructor(open: () => Promise<Lane>) {
    this.#open = open;
  }

  async use<Result>(body: (lane: Lane) => Promise<Result>): Promise<Result> {
    if (this.#used === MAX_LANES) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#used += 1;
    let lane: Lane | undefined;
    try {
      lane = this.#takeIdle() ?? (await this.#open());
      const result = await body(lane);
      await this.#giveBack(lane);
      return result;
    } catch (error) {
      // Where the server has not said no, it is not known what became of it, and the connection is not used again.
      if (lane !== undefined && sqlState(error) !== undefined && !isConnectionLost(error)) await this.#giveBack(lane);
      else await lane?.close();
      throw error;
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#used -= 1;
      else next();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#idle.map((lane) => lane.close()));
  }

  /** One that was lost while nobody used it is no good any more. */
  #takeIdle(): Lane | undefined {
    let lane = this.#idle.pop();
    while (lane?.isLost) lane = this.#idle.pop();
    return lane;
  }

  async #giveBack(lane: Lane): Promise<void> {
    if (this.#isClosed) await lane.close();
    else this.#idle.push(lane);
  }
}
