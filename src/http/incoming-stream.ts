/**
 * The body of a request in pieces, as they arrive: for bodies that are too large for memory. How long all of it may take depends on how much
 * there is, so the deadline of the request does not apply; but it must keep arriving.
 */

import { Problem } from '../problem/problem.ts';
import { BodyFailed, bodyTooLarge, checkTransferCoding } from '../request/body.ts';
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
  const pieces = new Pieces(exchange);
  let bytes = 0;
  let chunks = 0;
  for (;;) {
    const piece = await pieces.next();
    if (piece === undefined) return;
    if (piece instanceof Problem) throw fail(exchange, piece);
    bytes += piece.length;
    if (coding !== undefined) chunks += 1;
    if (bytes > maxBytes) throw fail(exchange, bodyTooLarge(maxBytes));
    if (chunks > MAX_CHUNKS + bytes * MAX_CHUNKS_PER_BYTE) throw fail(exchange, tooManyChunks());
    if (bytes < ((pieces.waited - MAX_PAUSE) / 1_000) * MIN_RATE) throw fail(exchange, requestTimeout());
    yield piece;
  }
}

function fail({ message }: Exchange, problem: Problem): BodyFailed {
  // Later, because Node's parser is still reading what has arrived.
  process.nextTick(discardInput, message.socket);
  return new BodyFailed(problem);
}

class Pieces {
  readonly #pieces: AsyncIterator<Buffer>;
  #problem: Problem | undefined;
  #settle: (piece: Problem) => void = () => {};
  /** How long the client has been waited for, in milliseconds. */
  waited = 0;

  constructor(exchange: Exchange) {
    const { message, deadline } = exchange;
    this.#pieces = message.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
    const fail = (problem: Problem) => {
      this.#problem ??= problem;
      this.#settle(problem);
    };
    exchange.onBodyProblem(fail);
    deadline.signal.addEventListener('abort', () => fail(incomplete()), { once: true });
  }

  /** Undefined at the end. */
  async next(): Promise<Uint8Array | Problem | undefined> {
    if (this.#problem !== undefined) return this.#problem;
    const started = performance.now();
    const piece = await new Promise<Uint8Array | Problem | undefined>((resolve) => {
      this.#settle = resolve;
      const timer = setTimeout(() => resolve(requestTimeout()), MAX_PAUSE).unref();
      this.#pieces
        .next()
        .then(
          ({ done, value }) => resolve(done === true ? undefined : value),
          // The client disconnected in the middle of its body; nobody reads this.
          () => resolve(incomplete()),
        )
        .finally(() => clearTimeout(timer));
    });
    this.waited += performance.now() - started;
    return piece;
  }
}

function incomplete(): Problem {
  return new Problem('malformed_request', 'The body is incomplete.', { headers: { connection: 'close' } });
}
