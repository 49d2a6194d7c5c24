/** Reads the body of a request. It has to arrive before the deadline of the request. */

import { Problem } from '../problem/problem.ts';
import { bodyTooLarge, checkTransferCoding } from '../request/body.ts';
import type { Exchange } from './exchange.ts';
import { discardInput } from './linger.ts';
import { requestTimeout } from './malformed.ts';

/**
 * How many chunks a body may have, and how many more for each of its bytes. Node takes microseconds for a chunk, whatever its
 * size, so chunks of a byte each would keep the serving thread busy.
 */
export const MAX_CHUNKS = 1_000;
export const MAX_CHUNKS_PER_BYTE = 1 / 64;

/** Never rejects. */
export function readBody(exchange: Exchange, maxBytes: number): Promise<Uint8Array | Problem> {
  const { message, response } = exchange;
  const { 'content-length': length, 'transfer-encoding': coding } = message.headers;
  // Node emits no events for a body that was not announced.
  if (length === undefined && coding === undefined) return Promise.resolve(new Uint8Array());
  const problem = checkTransferCoding(coding) ?? (Number(length ?? 0) > maxBytes ? bodyTooLarge(maxBytes) : undefined);
  if (problem !== undefined) return Promise.resolve(problem);
  if (exchange.expectsContinue) response.writeContinue();
  return collect(exchange, maxBytes);
}

function collect(exchange: Exchange, maxBytes: number): Promise<Uint8Array | Problem> {
  const { message, deadline } = exchange;
  return new Promise((resolve) => {
    const body = new GrowingBuffer();
    const isChunked = message.headers['transfer-encoding'] !== undefined;
    let chunks = 0;
    let isRefused = false;
    const refuse = (problem: Problem) => {
      isRefused = true;
      // Later, because Node's parser is still reading what has arrived.
      process.nextTick(discardInput, message.socket);
      resolve(problem);
    };
    // The client disconnected in the middle of its body; nobody reads this.
    const abandon = () => resolve(new Problem('malformed_request', 'The body is incomplete.'));
    if (message.destroyed) abandon();
    message
      .on('data', (chunk: Buffer) => {
        if (isRefused) return;
        if (isChunked) chunks += 1;
        if (body.length + chunk.length > maxBytes) refuse(bodyTooLarge(maxBytes));
        else if (chunks > MAX_CHUNKS + body.length * MAX_CHUNKS_PER_BYTE) refuse(tooManyChunks());
        else body.append(chunk);
      })
      .once('end', () => resolve(body.bytes))
      .once('error', abandon)
      .once('close', abandon);
    exchange.onBodyProblem(resolve);
    // Usually the body arrives together with the headers, and there is nothing to wait for.
    if (message.complete) return;
    const { signal } = deadline;
    const onAbort = () => resolve(requestTimeout());
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

export function tooManyChunks(): Problem {
  return new Problem('malformed_request', 'The body arrives in too many small chunks.', {
    suggestion: 'Send it with Content-Length, or in chunks of 64 bytes or more.',
    // The rest of the body is not read.
    headers: { connection: 'close' },
  });
}

/** Chunks of one byte each would take hundreds of bytes if they were kept as they arrive. */
class GrowingBuffer {
  #buffer: Buffer = Buffer.alloc(0);
  length = 0;

  get bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.length);
  }

  append(chunk: Buffer): void {
    const length = this.length + chunk.length;
    // Usually there is one chunk, which need not be copied.
    if (this.length === 0) this.#buffer = chunk;
    else {
      if (length > this.#buffer.length) this.#buffer = grown(this.bytes, 2 * length);
      chunk.copy(this.#buffer, this.length);
    }
    this.length = length;
  }
}

function grown(bytes: Uint8Array, size: number): Buffer {
  const buffer = Buffer.allocUnsafe(size);
  buffer.set(bytes);
  return buffer;
}
