/** A program that is started, stopped, killed, and started again, like a service manager does when it ends by itself. */

import { MINUTE, SECOND, type SimulatedTime } from './time.ts';

/** What one start of it gets. */
export interface Start {
  /** Counts from 1. */
  readonly instance: number;
  readonly signal: AbortSignal;
  /** Whether it has been killed. */
  readonly isDead: () => boolean;
}

/** How long the service manager waits before it starts a program that has failed, in milliseconds. */
const RESTART_DELAY = 10 * SECOND;

export class Connector {
  readonly #time: SimulatedTime;
  readonly #run: (start: Start) => Promise<void>;
  readonly #isExpected: (error: unknown) => boolean;
  #current: { readonly controller: AbortController; readonly ended: Promise<void>; isDead: boolean } | undefined;
  #isClosed = false;
  /** How often it was started. */
  starts = 0;
  /** With what it has ended although it must not. */
  failure: unknown;

  /** `isExpected` says with which errors it may end. */
  constructor(time: SimulatedTime, run: (start: Start) => Promise<void>, isExpected: (error: unknown) => boolean) {
    this.#time = time;
    this.#run = run;
    this.#isExpected = isExpected;
  }

  start(): void {
    if (this.#current !== undefined || this.#isClosed) return;
    this.starts += 1;
    const controller = new AbortController();
    const state = { controller, isDead: false, ended: Promise.resolve() };
    const { signal } = controller;
    state.ended = this.#run({ instance: this.starts, signal, isDead: () => state.isDead }).catch((error: unknown) => {
      if (state.isDead || signal.aborted) return;
      if (!this.#isExpected(error)) this.failure ??= error;
      this.#current = undefined;
      this.#time.clock.after(RESTART_DELAY, () => this.start());
    });
    this.#current = state;
  }

  /** Nothing of it is heard of again. */
  kill(): void {
    if (this.#current !== undefined) this.#current.isDead = true;
    this.#current = undefined;
  }

  /** Waits until it has ended, as when somebody presses Ctrl+C. */
  async stop(): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    current?.controller.abort();
    if (current !== undefined) await this.#time.through(current.ended, 10 * MINUTE);
  }

  /** For good. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.stop();
  }
}
