/** Feeds streams to a worker thread: the serving thread only passes their chunks on. */

import type { StreamCommand, StreamProgress } from './run-stream-consumer.ts';
import { Thread } from './thread.ts';

/** `Start` is what the consumer of a stream begins with. */
export class StreamConsumer<Start, Result> {
  readonly #thread: Thread<StreamCommand<Start>, StreamProgress<Result>, unknown>;
  #begun = 0;

  constructor(module: URL) {
    this.#thread = new Thread({ module, errorOf: (failure) => failure });
  }

  /** A chunk is read while the one before it is consumed. Rejects when the signal aborts. */
  async consume(start: Start, next: () => Promise<Uint8Array | undefined>, signal: AbortSignal): Promise<Result> {
    this.#begun += 1;
    const stream = this.#begun;
    await this.#thread.call({ kind: 'begin', stream, start });
    let consumed: Promise<StreamProgress<Result>> = Promise.resolve({ isFinished: false });
    try {
      for (let bytes = await next(); bytes !== undefined; bytes = await next()) {
        const progress = await consumed;
        if (progress.isFinished) return progress.result;
        consumed = this.#thread.call({ kind: 'update', stream, bytes });
        // Reported when it is awaited.
        consumed.catch(() => undefined);
      }
      let progress = await consumed;
      // The streams of others get their turn after every step.
      while (!progress.isFinished) {
        signal.throwIfAborted();
        progress = await this.#thread.call({ kind: 'finish', stream });
      }
      return progress.result;
    } finally {
      await this.#thread.call({ kind: 'end', stream });
    }
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
