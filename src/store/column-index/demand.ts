/** Whether something has been asked for often enough lately to be worth building. */

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
  readonly #now: () => number;
  /** The name that was asked for least recently comes first. */
  readonly #asked = new Map<string, Asked>();

  constructor(enough: number, now: () => number = () => performance.now()) {
    this.#enough = enough;
    this.#now = now;
  }

  /** Called whenever somebody asks for it. It may be worth several times. */
  isEnough(name: string, times = 1): boolean {
    const asked = this.#entry(name);
    const now = this.#now();
    if (now - asked.since > PERIOD) Object.assign(asked, { since: now, count: 0 });
    asked.count += times;
    return asked.count >= this.#enough && now >= asked.postponedUntil;
  }

  postpone(name: string): void {
    this.#entry(name).postponedUntil = this.#now() + POSTPONED_FOR;
  }

  #entry(name: string): Asked {
    const asked = this.#asked.get(name) ?? { since: this.#now(), count: 0, postponedUntil: 0 };
    this.#asked.delete(name);
    this.#asked.set(name, asked);
    const [oldest] = this.#asked.keys();
    if (this.#asked.size > MAX_NAMES && oldest !== undefined) this.#asked.delete(oldest);
    return asked;
  }
}
