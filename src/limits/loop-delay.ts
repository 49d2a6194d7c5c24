/**
 * How long requests wait before this process reads them. They are read in iterations of the event loop, and what arrives during one
 * waits for the next. If the loop had to wait for something to arrive, nothing was waiting for it.
 *
 * It is measured in processor time of the thread. If other programs take the processor, requests wait longer, but refusing some would
 * not help the others.
 */

/** The loop counts as idle after this many milliseconds: asking whether something has arrived takes a few microseconds. */
const IDLE = 0.05;

/**
 * The minimum number of requests in an iteration. Fewer are not a queue, however long they take: a handful of clients that read large pages keep
 * the loop busy, and each waits for its own.
 */
const MIN_QUEUE = 32;

export class LoopDelay {
  #isKnown = false;
  #delay = 0;
  /** Requests of the current iteration. */
  #requests = 0;
  /** The processor time at which the latest iteration with requests began, and how long the loop had been idle. In milliseconds. */
  #began = processorTime();
  #idleTime = 0;

  /** The work that a request of the current iteration may have waited for, in milliseconds. To be called for every request. */
  current(): number {
    this.#requests += 1;
    if (this.#isKnown) return this.#delay;
    this.#isKnown = true;
    const isQueue = this.#requests > MIN_QUEUE;
    this.#requests = 1;
    setImmediate(this.#endIteration);
    const [began, { idleTime }] = [processorTime(), performance.nodeTiming];
    this.#delay = isQueue && idleTime - this.#idleTime <= IDLE ? began - this.#began : 0;
    this.#began = began;
    this.#idleTime = idleTime;
    return this.#delay;
  }

  readonly #endIteration = () => {
    this.#isKnown = false;
  };
}

function processorTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
