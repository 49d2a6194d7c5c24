/** How late the event loop of this process is. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { labeled, type Samples, single } from './samples.ts';

/** How often the delay is measured, in milliseconds. */
const RESOLUTION = 20;

/** What is shown is from the last period that is complete, in milliseconds. */
const PERIOD = 15_000;

const PERCENTILES = [50, 99, 100] as const;

export class EventLoop {
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION });
  readonly #timer: NodeJS.Timeout;
  #last: readonly (readonly [percentile: string, seconds: number])[] | undefined;

  constructor() {
    this.#delays.enable();
    this.#timer = setInterval(() => {
      this.#last = this.#measured();
      this.#delays.reset();
    }, PERIOD).unref();
  }

  get stats(): Samples {
    return {
      stockbook_event_loop_delay_seconds: labeled(this.#last ?? this.#measured()),
      stockbook_event_loop_active_seconds_total: single(performance.eventLoopUtilization().active / 1_000),
    };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#delays.disable();
  }

  /** Node measures the time between two measurements, in nanoseconds. */
  #measured(): readonly (readonly [percentile: string, seconds: number])[] {
    const expected = RESOLUTION * 1e6;
    return PERCENTILES.map((percentile) => {
      const between = this.#delays.count === 0 ? 0 : this.#delays.percentile(percentile);
      return [String(percentile), Math.max(0, between - expected) / 1e9];
    });
  }
}
