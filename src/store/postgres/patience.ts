/** Waiting for answers of a server, which may never come. */

/** Overdue answers are looked for so often, in milliseconds. */
const LOOK = 1_000;

interface Waiting {
  /** In milliseconds. */
  readonly until: number;
  readonly giveUp: (error: Error) => void;
}

/** One clock for all that is waited for: a timer for each statement would cost more than to send it. */
export class Patience {
  readonly #seconds: number;
  /** In the order in which they give up. */
  readonly #waiting = new Set<Waiting>();
  #clock: NodeJS.Timeout | undefined;

  /** May be infinitely many. */
  constructor(seconds: number) {
    this.#seconds = seconds;
  }

  /** The answer, or an error where it has not come in time, give or take a second. */
  with<Result>(answer: Promise<Result>): Promise<Result> {
    this.#clock ??= setInterval(() => this.#look(), LOOK).unref();
    return new Promise((resolve, reject) => {
      const waiting = { until: performance.now() + this.#seconds * 1_000, giveUp: reject };
      this.#waiting.add(waiting);
      answer.then(
        (result) => {
          this.#waiting.delete(waiting);
          resolve(result);
        },
        (error: unknown) => {
          this.#waiting.delete(waiting);
          reject(error);
        },
      );
    });
  }

  /** Nothing more will come. */
  giveUp(error: Error): void {
    for (const { giveUp } of this.#waiting) giveUp(error);
    this.#waiting.clear();
  }

  #look(): void {
    const now = performance.now();
    for (const waiting of this.#waiting) {
      if (waiting.until > now) return;
      this.#waiting.delete(waiting);
      waiting.giveUp(tooLate());
    }
    if (this.#waiting.size > 0) return;
    clearInterval(this.#clock);
    this.#clock = undefined;
  }
}

/** In seconds. */
export async function within<Result>(time: number, answer: Promise<Result>): Promise<Result> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(tooLate()), time * 1_000);
  return Promise.race([answer, timeout]).finally(() => clearTimeout(timer));
}

function tooLate(): Error {
  return Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' });
}
