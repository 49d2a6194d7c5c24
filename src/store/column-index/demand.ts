/** Whether something has been asked for often enough lately to be worth building. */

import type { Clock } from '../../schedule/clock.ts';

/** In milliseconds. */
const PERIOD = 60_000;

/** For how long something that could not be built is not tried again, in milliseconds. */
const POSTPONED_FOR = 600_000;

/** The maximum number of names that are remembered. */
const MAX_NAMES = 10_000;

interface Asked {
  /** When the period began. */
  since: number;
  count: number;
  postponedUntil: number;
}

export class Demand {
  readonly #enough: number;
  readonly #clock: Clock;
  /** The name that was asked for least recently comes first. */
  readonly #asked = new Map<string, Asked>();

  constructor(enough: number, clock: Clock) {
    this.#enough = enough;
    this.#clock = clock;
  }

  /** Called whenever somebody asks for it. It may be worth several times. */
  isEnough(name: string, times = 1): boolean {
    const asked = this.#entry(name);
    const now = this.#clock.monotonic();
    if (now - asked.since > PERIOD) Object.assign(asked, { since: now, count: 0 });
    asked.count += times;
    return asked.count >= this.#enough && now >= asked.postponedUntil;
  }

  postpone(name: string): void {
    this.#entry(name).postponedUntil = this.#clock.monotonic() + POSTPONED_FOR;
  }

  #entry(name: string): Asked {
    const asked = this.#asked.get(name) ?? { since: this.#clock.monotonic(), count: 0, postponedUntil: 0 };
    this.#asked.delete(name);
    this.#asked.set(name, asked);
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > MAX_NAMES && oldest !== undefined) this.#asked.delete(oldest);
    return asked;
  }
}
