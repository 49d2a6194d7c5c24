/** An Odoo that is asked politely: one request at a time, at a limited rate, and again after a pause if it is not available. */

import type { Clock } from '../../schedule/clock.ts';
import { pauseBefore } from '../mirror/pause.ts';
import type { Odoo, OdooArguments } from './odoo.ts';
import { OdooError } from './odoo-error.ts';

/** How often a request is repeated before its caller gets the error. */
const RETRIES = 4;

/** After so long, in milliseconds, a request is not repeated: an Odoo that hangs must not keep the mirror from saying so. */
const PATIENCE = 60_000;
/** The first pause between two attempts, in milliseconds. Each is about twice as long as the one before. */
const FIRST_PAUSE = 500;
const MAX_RETRY_AFTER = 60_000;

export class PacedOdoo implements Odoo {
  readonly #odoo: Odoo;
  /** In milliseconds. */
  readonly #interval: number;
  readonly #clock: Clock;
  /** The end of the request before. */
  #last: Promise<unknown> = Promise.resolve();
  /** The monotonic time before which the next request is not sent. */
  #next = Number.NEGATIVE_INFINITY;
  requests = 0;

  constructor(odoo: Odoo, requestsPerSecond: number, clock: Clock) {
    this.#odoo = odoo;
    this.#interval = 1_000 / requestsPerSecond;
    this.#clock = clock;
  }

  get version(): number {
    return this.#odoo.version;
  }

  call(model: string, method: string, args: OdooArguments, signal?: AbortSignal): Promise<unknown> {
    const called = this.#last.then(() => this.#repeat(model, method, args, signal));
    this.#last = called.catch(() => undefined);
    return called;
  }

  async #repeat(model: string, method: string, args: OdooArguments, signal?: AbortSignal): Promise<unknown> {
    const began = this.#clock.monotonic();
    for (let attempt = 0; ; attempt += 1) {
      await this.#turn(signal);
      try {
        return await this.#odoo.call(model, method, args, signal);
      } catch (error) {
        if (!(error instanceof OdooError) || error.kind !== 'unavailable') throw error;
        if (attempt === RETRIES || this.#clock.monotonic() - began > PATIENCE) throw error;
        const pause = pauseBefore(attempt, FIRST_PAUSE, this.#clock);
        await this.#pause(Math.min(MAX_RETRY_AFTER, Math.max(error.retryAfter ?? 0, pause)), signal);
      }
    }
  }

  async #turn(signal?: AbortSignal): Promise<void> {
    const pause = this.#next - this.#clock.monotonic();
    if (pause > 0) await this.#pause(pause, signal);
    this.#next = this.#clock.monotonic() + this.#interval;
    this.requests += 1;
  }

  async #pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
    await this.#clock.pause(milliseconds, signal);
    signal?.throwIfAborted();
  }
}
