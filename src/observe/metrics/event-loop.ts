/** How late the event loop of this process is. */

import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type CancelTimer, systemClock } from '../../schedule/clock.ts';
import { labeled, type Samples, single } from './samples.ts';

/** How often the delay is measured, in milliseconds. */
const RESOLUTION = 20;

/** What is shown is from the last period that is complete, in milliseconds. */
const PERIOD = 15_000;

const PERCENTILES = [50, 99, 100] as const;

export class EventLoop {
  readonly #delays = monitorEventLoopDelay({ resolution: RESOLUTION });
  readonly #cancelTimer: CancelTimer;
  #last: readonly (readonly [percentile: string, seconds: number])[] | undefined;

  constructor() {
    this.#delays.enable();
    this.#cancelTimer = systemClock.every(PERIOD, () => {
      this.#last = this.#measured();
      this.#delays.reset();
    });
  }

  get stats(): Samples {
    return {
      stockbook_event_loop_delay_seconds: labeled(this.#last ?? this.#measured()),
      stockbook_event_loop_active_seconds_total: single(performance.eventLoopUtilization().active / 1_000),
    };
  }

  close(): void {
    this.#cancelTimer();
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
