/** The time of the client, and its pauses. Programs of Stockbook give it a clock of theirs, so that tests can turn it. */

export interface Clock {
  /** The wall time, in milliseconds since the epoch. */
  wall(): number;
  /** Ends early, without an error, if the signal aborts. */
  pause(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** A timer. Returns a function that cancels it. */
  after(milliseconds: number, act: () => void): () => void;
  /** Random, at least 0 and below 1: pauses vary by it. */
  jitter(): number;
}

export const systemClock: Clock = {
  wall: () => Date.now(),
  pause: (milliseconds, signal) =>
    new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, milliseconds);
      signal?.addEventListener('abort', end);
      if (signal?.aborted) end();
    }),
  after(milliseconds, act) {
    const timer = setTimeout(act, milliseconds);
    return () => clearTimeout(timer);
  },
  jitter: () => Math.random(),
};
