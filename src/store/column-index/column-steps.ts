/** The thread that holds columns, one step at a time: accounts take turns with the steps of what they compute there. */

import type { Clock } from '../../schedule/clock.ts';
import { NO_DEADLINE } from '../../schedule/deadline.ts';
import { FairQueue, type QueueStats } from '../../schedule/fair-queue.ts';
import type { Caller, Export } from '../store.ts';
import { startColumnThread } from './thread/column-thread.ts';
import type { BeginCommand, ColumnCommand, ColumnResult, LineComputation } from './thread/commands.ts';

/** Two steps at a time, so that the thread has something to do while a result is on its way. How much is under way is limited before it comes here. */
const LIMITS = { slots: 2, maxRunning: 2, maxQueued: Number.POSITIVE_INFINITY };

/** Milliseconds of the thread for a chunk of lines, and for a step of a computation. */
const CHUNK_COST = 3;
const STEP_COST = 5;

/** On whose behalf the thread works. */
export interface StepCaller extends Pick<Caller, 'account' | 'deadline'> {
  /** Called if the thread fails: what it held is lost or incomplete. */
  readonly onFailed?: () => void;
}

export class ColumnSteps {
  readonly #thread = startColumnThread();
  readonly #queue: FairQueue;
  #lastNumber = 0;

  constructor(clock: Clock) {
    this.#queue = new FairQueue(LIMITS, clock);
  }

  get stats(): QueueStats {
    return this.#queue.stats;
  }

  /** Identifies a table or a computation. */
  nextNumber(): number {
    this.#lastNumber += 1;
    return this.#lastNumber;
  }

  /** When it is the account's turn. */
  call({ account, deadline = NO_DEADLINE, onFailed }: StepCaller, command: ColumnCommand): Promise<ColumnResult> {
    return this.#queue.run({ account, cost: costOf(command), deadline }, async () => {
      try {
        return await this.#thread.call(command);
      } catch (error) {
        onFailed?.();
        throw error;
      }
    });
  }

  /** Step by step, as others take their turns. */
  async compute(caller: StepCaller, command: BeginCommand): Promise<ColumnResult> {
    const { number } = command;
    try {
      let result = await this.call(caller, command);
      while (result.kind === 'working') result = await this.call(caller, { kind: 'step', number });
      return result;
    } catch (error) {
      this.#now({ kind: 'cancel', number });
      throw error;
    }
  }

  /** A chunk is read while the one before it is consumed. */
  async consume(
    caller: StepCaller,
    { next }: Pick<Export, 'next'>,
    computation: LineComputation,
  ): Promise<ColumnResult> {
    const number = this.nextNumber();
    const call = (command: ColumnCommand) => {
      const result = this.call(caller, command);
      // Reported when it is awaited.
      result.catch(() => undefined);
      return result;
    };
    let consumed = call({ kind: 'consume', number, computation });
    try {
      for (let lines = await next(); lines !== undefined; lines = await next()) {
        const result = await consumed;
        if (result.kind !== 'working') return result;
        consumed = call({ kind: 'add', number, lines });
      }
      const result = await consumed;
      return result.kind === 'working' ? await this.compute(caller, { kind: 'finish', number }) : result;
    } finally {
      this.#now({ kind: 'cancel', number });
    }
  }

  drop(table: number): void {
    this.#now({ kind: 'drop', table });
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  /** If it fails, the thread is gone, and what it held with it. */
  #now(command: ColumnCommand): void {
    this.#thread.call(command).catch(() => undefined);
  }
}

function costOf({ kind }: ColumnCommand): number {
  if (kind === 'create' || kind === 'consume') return 0;
  return kind === 'add' ? CHUNK_COST : STEP_COST;
}
