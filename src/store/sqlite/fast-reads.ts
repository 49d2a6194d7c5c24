/**
 * Fast reads, on the serving thread. Reads of one iteration of the event loop share a transaction, which takes and releases a lock
 * on the file, and their responses are sent together, so that a client is woken up once and not for each of them.
 *
 * They take little time of an iteration, and accounts take turns within it: many reads of one account delay a read of another by one of them.
 */

import { setImmediate as nextIteration } from 'node:timers/promises';
import type { Clock } from '../../schedule/clock.ts';
import { StandingQueue } from '../../schedule/standing-queue.ts';
import { inIteration, inNextIteration } from '../engine/loop-iteration.ts';
import type { Row } from '../sql/row.ts';
import type { Statement } from '../sql/statement.ts';

/** No further read starts in an iteration after this many milliseconds. */
const MAX_DURATION = 3;

interface FastRead {
  readonly account: number;
  /** The monotonic time since which it waits. */
  readonly since: number;
  readonly statement: Statement;
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
}

interface AccountReads {
  readonly reads: FastRead[];
  readonly standing: StandingQueue;
}

export interface FastReadOptions {
  read(statement: Statement, account: number): readonly Row[];
  /** Runs the reads of an iteration. What was read counts only if it returns. */
  inSnapshot(reads: () => void): void;
  readonly clock: Clock;
  /** How long reads of an account may wait, in milliseconds; 0 means unlimited. */
  readonly maxDelay: number;
}

export class FastReads {
  readonly #options: FastReadOptions;
  /** By account, in the order of their turns. */
  readonly #waiting = new Map<number, AccountReads>();
  #isScheduled = false;

  constructor(options: FastReadOptions) {
    this.#options = options;
  }

  add(account: number, statement: Statement): Promise<readonly Row[]> {
    return new Promise((resolve, reject) => {
      const since = this.#options.clock.monotonic();
      const waiting = this.#waiting.get(account) ?? { reads: [], standing: new StandingQueue(this.#options) };
      waiting.standing.check(waiting.reads.length, waiting.reads[0]?.since ?? since);
      waiting.reads.push({ account, since, statement, resolve, reject });
      this.#waiting.set(account, waiting);
      this.#schedule(inIteration);
    });
  }

  /** Resolves when everything that was added has been read. */
  async close(): Promise<void> {
    while (this.#waiting.size > 0) await nextIteration();
  }

  #schedule(when: (work: () => void) => void): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    when(() => this.#readWaiting());
  }

  #readWaiting(): void {
    this.#isScheduled = false;
    const begun: FastRead[] = [];
    const settle: (() => void)[] = [];
    try {
      this.#options.inSnapshot(() => {
        const end = this.#options.clock.monotonic() + MAX_DURATION;
        for (
          let read = this.#next();
          read !== undefined;
          read = this.#options.clock.monotonic() < end ? this.#next() : undefined
        ) {
          begun.push(read);
          settle.push(this.#read(read));
        }
      });
      for (const one of settle) one();
    } catch (error) {
      for (const { reject } of begun) reject(error);
    }
    if (this.#waiting.size > 0) this.#schedule(inNextIteration);
  }

  #next(): FastRead | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    const [account, waiting] = first;
    this.#waiting.delete(account);
    const read = waiting.reads.shift();
    if (waiting.reads.length > 0) this.#waiting.set(account, waiting);
    return read;
  }

  #read({ statement, account, resolve, reject }: FastRead): () => void {
    try {
      const rows = this.#options.read(statement, account);
      return () => resolve(rows);
    } catch (error) {
      return () => reject(error);
    }
  }
}
