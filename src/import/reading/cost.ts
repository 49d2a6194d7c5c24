/**
 * What reading an import costs, and may cost. Reading is divided into steps: each waits for its account's turn, and its processor time is counted. A
 * file is allowed time in proportion to its content, and memory that all imports of its account share.
 */

import { setImmediate } from 'node:timers/promises';
import { NO_DEADLINE } from '../../schedule/deadline.ts';
import { FairQueue } from '../../schedule/fair-queue.ts';
import { type ReadingCost, UnreadableFile } from '../format.ts';

/** How much processor time a file takes whatever it contains, in milliseconds. */
export const BASE_TIME = 5_000;

/** How much more time it may take for each byte of its content, in milliseconds. Content is usually read more than twenty times as fast. */
export const TIME_PER_BYTE = 0.002;

/** What an import holds besides what it reports: decompressors, the rows of the sample, the row that is being read, in bytes. */
export const BASE_BYTES = 2 * 1024 * 1024;

/** What all imports of a thread may hold, and those of one account, in bytes. */
export const MAX_HELD = 128 * 1024 * 1024;
export const MAX_ACCOUNT_HELD = 96 * 1024 * 1024;

/** The maximum number of steps of one account that wait. Each import has at most one. */
const MAX_WAITING = 1_000;

/** The imports of the account, or of everybody, hold as much memory as they may. */
export class TooMuchHeld extends Error {
  override readonly name = 'TooMuchHeld';
  readonly isOfAccount: boolean;

  constructor(isOfAccount: boolean) {
    super(`the imports ${isOfAccount ? 'of the account ' : ''}hold as much memory as they may`);
    this.isOfAccount = isOfAccount;
  }
}

/** All imports that a thread reads. */
export class ReadingCosts {
  readonly #queue = new FairQueue({ slots: 1, maxRunning: 1, maxQueued: MAX_WAITING });
  readonly #held = new Map<number, number>();
  readonly #processorTime: () => number;
  #total = 0;

  /** The clock is that of this thread by default, in milliseconds. */
  constructor(processorTime = threadTime) {
    this.#processorTime = processorTime;
  }

  open(account: number): OpenedCost {
    let ownBytes = 0;
    const hold = (bytes: number) => {
      const ofAccount = (this.#held.get(account) ?? 0) + bytes;
      if (bytes > 0 && ofAccount > MAX_ACCOUNT_HELD) throw new TooMuchHeld(true);
      if (bytes > 0 && this.#total + bytes > MAX_HELD) throw new TooMuchHeld(false);
      ownBytes += bytes;
      this.#total += bytes;
      if (ofAccount > 0) this.#held.set(account, ofAccount);
      else this.#held.delete(account);
    };
    hold(BASE_BYTES);
    const time = new TimeLimit(this.#processorTime);
    return {
      step: (run) =>
        this.#queue.run({ account, cost: 1, deadline: NO_DEADLINE }, async () => {
          // What has arrived meanwhile is handled first.
          await setImmediate();
          return time.measured(run);
        }),
      unpacked: (bytes) => time.extend(bytes),
      hold,
      close: () => hold(-ownBytes),
    };
  }
}

export interface OpenedCost extends ReadingCost {
  /** Gives back what is held. */
  close(): void;
}

class TimeLimit {
  readonly #now: () => number;
  #limit = BASE_TIME;
  #used = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  extend(bytes: number): void {
    this.#limit += bytes * TIME_PER_BYTE;
  }

  measured<Result>(run: () => Result): Result {
    const before = this.#now();
    const result = run();
    this.#used += this.#now() - before;
    if (this.#used > this.#limit) {
      throw new UnreadableFile(
        `Reading it takes too much time for its size: ${Math.round(this.#used / 1_000)} s so far. Split it, or save it as CSV with only the columns that matter.`,
      );
    }
    return result;
  }
}

function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
