/**
 * Watches responses that their clients have not read completely, and disconnects clients that are too slow. A response
 * that the kernel takes at once is not watched.
 */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Emit, ResponseAborted } from '../observe/events.ts';
import type { CancelTimer, Clock } from '../schedule/clock.ts';

/** The slowest rate at which a client may read while bytes are waiting, in bytes per second. */
const MIN_RATE = 4 * 1024;

/** The limits on the time in which something has to leave, in milliseconds, however small or large it is. */
const [MIN_PAUSE, MAX_PAUSE] = [20_000, 120_000];

/** How often all responses are checked, in milliseconds. */
const CHECK_INTERVAL = 1_000;

/** The monotonic time at which a response has to be sent, and why. */
export interface TimeLimit {
  readonly at: number;
  readonly reason: Exclude<ResponseAborted['reason'], 'too slow'>;
}

export class SendingResponses {
  readonly #emit: Emit;
  readonly #clock: Clock;
  readonly #sending = new Set<Sending>();
  #endChecks: CancelTimer | undefined;

  constructor(emit: Emit, clock: Clock) {
    this.#emit = emit;
    this.#clock = clock;
  }

  /** How many responses are being sent. */
  get size(): number {
    return this.#sending.size;
  }

  /** Until the response is closed, when `release` is called. */
  watch(response: ServerResponse, requestId: string, limit: TimeLimit, release = () => {}): void {
    const { socket } = response;
    if (socket === null) {
      release();
      return;
    }
    const sending = { response, requestId, limit, progress: new Progress(socket, this.#clock.monotonic()) };
    this.#sending.add(sending);
    response.once('close', () => {
      this.#sending.delete(sending);
      release();
    });
    this.#endChecks ??= this.#clock.every(CHECK_INTERVAL, () => this.#check());
  }

  #check(): void {
    if (this.#sending.size === 0) {
      this.#endChecks?.();
      this.#endChecks = undefined;
    }
    const now = this.#clock.monotonic();
    for (const { response, requestId, limit, progress } of this.#sending) {
      const isLate = now > limit.at;
      if (!isLate && !progress.isTooSlow(now)) continue;
      this.abort(response, requestId, isLate ? limit.reason : 'too slow');
    }
  }

  abort(response: ServerResponse, requestId: string, reason: ResponseAborted['reason'] = 'too slow'): void {
    if (response.destroyed) return;
    this.#emit({ kind: 'response aborted', requestId, reason });
    response.destroy();
  }
}

interface Sending {
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly limit: TimeLimit;
  readonly progress: Progress;
}

/**
 * How fast a client reads, as far as one can see from here: a write has left when the kernel has taken all of it, and the
 * kernel takes more only after the client has read much of what it holds. So how long the client may take depends on how
 * much left last and how much is being written.
 */
class Progress {
  readonly #socket: Socket;
  /** In bytes. */
  #left = 0;
  /** The time by which more must have been sent. */
  #due: number;

  constructor(socket: Socket, now: number) {
    this.#socket = socket;
    this.#due = now + pauseFor(socket.writableLength);
  }

  isTooSlow(now: number): boolean {
    const { bytesWritten, writableLength } = this.#socket;
    const left = bytesWritten - writableLength;
    if (left === this.#left && writableLength > 0) return now > this.#due;
    this.#due = Math.max(this.#due, now + pauseFor(Math.max(left - this.#left, writableLength)));
    this.#left = left;
    return false;
  }
}

/** How long a client may take to read this many bytes, in milliseconds. */
function pauseFor(bytes: number): number {
  return Math.min(MAX_PAUSE, Math.max(MIN_PAUSE, (bytes / MIN_RATE) * 1_000));
}
