/**
 * The body of a request in pieces, as they arrive: for bodies that are too large for memory. How long all of it may take depends on how much
 * there is, so the deadline of the request does not apply; but it must keep arriving.
 */

import type { IncomingMessage } from 'node:http';
import { Problem } from '../problem/problem.ts';
import { BodyFailed, bodyTooLarge, checkTransferCoding } from '../request/body.ts';
import type { Clock } from '../schedule/clock.ts';
import type { Exchange } from './exchange.ts';
import { MAX_CHUNKS, MAX_CHUNKS_PER_BYTE, tooManyChunks } from './incoming-body.ts';
import { discardInput } from './linger.ts';
import { requestTimeout } from './malformed.ts';

/** How long a client may pause, in milliseconds. */
export const MAX_PAUSE = 30_000;

/** How many bytes a client has to send in a second, once it has paused for that long. */
export const MIN_RATE = 1_024;

/** Throws `BodyFailed`. */
export async function* streamBody(exchange: Exchange, maxBytes: number): AsyncGenerator<Uint8Array, void> {
  const { message, response, deadline } = exchange;
  const { 'content-length': length, 'transfer-encoding': coding } = message.headers;
  // Node emits no events for a body that was not announced.
  if (length === undefined && coding === undefined) return;
  const refusal = checkTransferCoding(coding) ?? (Number(length ?? 0) > maxBytes ? bodyTooLarge(maxBytes) : undefined);
  if (refusal !== undefined) throw new BodyFailed(refusal);
  exchange.isStreamed = true;
  deadline.end();
  if (exchange.expectsContinue) response.writeContinue();
  const pieces = new Pieces(exchange, coding !== undefined);
  for (;;) {
    const piece = await pieces.next();
    if (piece === undefined) return;
    if (piece instanceof Problem) throw fail(exchange, piece);
    const { bytes, waited } = pieces;
    if (bytes > maxBytes) throw fail(exchange, bodyTooLarge(maxBytes));
    if (bytes < ((waited - MAX_PAUSE) / 1_000) * MIN_RATE) throw fail(exchange, requestTimeout());
    yield piece;
  }
}

function fail({ message }: Exchange, problem: Problem): BodyFailed {
  // Later, because Node's parser is still reading what has arrived.
  process.nextTick(discardInput, message.socket);
  return new BodyFailed(problem);
}

/** How many bytes are read ahead. */
const READ_AHEAD = 64 * 1024;

/** What has arrived. Node would merge the chunks that wait to be read, and they have to be counted. */
class Pieces {
  readonly #message: IncomingMessage;
  readonly #clock: Clock;
  #waiting: Buffer[] = [];
  #length = 0;
  #end: 'complete' | Problem | undefined;
  #wake: () => void = () => {};
  /** How many bytes have arrived. */
  bytes = 0;
  /** How long the client has been waited for, in milliseconds. */
  waited = 0;

  constructor(exchange: Exchange, isChunked: boolean) {
    const { message, deadline, clock } = exchange;
    this.#message = message;
    this.#clock = clock;
    let chunks = 0;
    message
      .on('data', (chunk: Buffer) => {
        if (this.#end !== undefined) return;
        this.bytes += chunk.length;
        chunks += 1;
        if (isChunked && chunks > MAX_CHUNKS + this.bytes * MAX_CHUNKS_PER_BYTE) this.#finish(tooManyChunks());
        else this.#add(chunk);
      })
      .once('end', () => this.#finish('complete'))
      // The client disconnected in the middle of its body; nobody reads this.
      .once('error', () => this.#finish(incomplete()))
      .once('close', () => this.#finish(incomplete()));
    if (message.destroyed) this.#finish(incomplete());
    exchange.onBodyProblem((problem) => this.#finish(problem));
    deadline.signal.addEventListener('abort', () => this.#finish(incomplete()), { once: true });
  }

  /** Undefined at the end. */
  async next(): Promise<Uint8Array | Problem | undefined> {
    if (this.#waiting.length === 0 && this.#end === undefined) await this.#news();
    if (this.#end instanceof Problem) return this.#end;
    if (this.#waiting.length === 0) return this.#end === 'complete' ? undefined : requestTimeout();
    const [first, ...others] = this.#waiting;
    const piece = others.length === 0 ? first : Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#length = 0;
    this.#message.resume();
    return piece;
  }

  /** Resolves after a while even if there is none. */
  async #news(): Promise<void> {
    const started = this.#clock.monotonic();
    await new Promise<void>((resolve) => {
      const cancelTimer = this.#clock.after(MAX_PAUSE, resolve);
      this.#wake = () => {
        cancelTimer();
        resolve();
      };
    });
    this.waited += this.#clock.monotonic() - started;
  }

  #add(chunk: Buffer): void {
    this.#waiting.push(chunk);
    this.#length += chunk.length;
    if (this.#length >= READ_AHEAD) this.#message.pause();
    this.#wake();
  }

  #finish(end: 'complete' | Problem): void {
    this.#end ??= end;
    this.#wake();
  }
}

function incomplete(): Problem {
  return new Problem('malformed_request', 'The body is incomplete.', { headers: { connection: 'close' } });
}
