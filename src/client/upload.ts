/**
 * The body of an import: rows or bytes of the caller, in pieces. What is small is sent whole; the rest as a stream, so that it is
 * never in memory at once.
 *
 * An attempt that fails is repeated with the same pieces. The first megabyte is kept for that: most refusals come before more was
 * sent. Later ones can only be repeated if the caller has the rows again.
 */

import { StockbookError } from './stockbook-error.ts';
import type { TimeLimit } from './time-limit.ts';

export type Bytes = Uint8Array<ArrayBuffer>;

/** A body of up to this many bytes is sent whole. The service responds to it when it is imported, without listing it before. */
export const SMALL = 256 * 1024;

/** How many bytes are kept for the next attempt. */
const KEPT = 1024 * 1024;

/** What an attempt sends. */
export interface Content {
  /** In bytes. Undefined if it is a stream. */
  readonly size: number | undefined;
  readonly body: (limit: TimeLimit) => Bytes | Blob | ReadableStream<Bytes>;
}

/** Browsers stream bodies over HTTP/2 only, if at all. A blob they keep on disk if it is large. */
const canStream = !('document' in globalThis || 'WorkerGlobalScope' in globalThis);

export class Upload {
  readonly #pieces: () => AsyncGenerator<Bytes, void>;
  readonly #isReusable: boolean;
  #pass: Pass;
  #blob: Blob | undefined;

  /** `pieces` can be called again if it is reusable. A blob with the same bytes makes that unnecessary in browsers. */
  constructor(pieces: () => AsyncGenerator<Bytes, void>, isReusable: boolean, blob?: Blob) {
    this.#pieces = pieces;
    this.#isReusable = isReusable;
    this.#pass = new Pass(pieces());
    this.#blob = canStream ? undefined : blob;
  }

  /** Whether the next attempt can send the same. */
  get isRepeatable(): boolean {
    if (this.#pass.hasFailed) return false;
    return this.#blob !== undefined || this.#isReusable || this.#pass.isKept;
  }

  /** Reads as much as is needed to know whether it is small. */
  async open(signal: AbortSignal | undefined): Promise<Content> {
    if (this.#blob !== undefined) return contentOf(this.#blob);
    if (!this.#pass.isKept) this.#pass = new Pass(this.#pieces());
    const pass = this.#pass;
    const whole = await beforeAbort(pass.whole(), signal);
    if (whole !== undefined) return { size: whole.length, body: () => whole };
    if (canStream) return { size: undefined, body: (limit) => pass.stream(limit) };
    this.#blob = await beforeAbort(pass.blob(), signal);
    return contentOf(this.#blob);
  }

  /** Lets go of the rows that were not sent. */
  close(): void {
    this.#pass.close();
  }
}

/** The pieces of one pass over the rows, numbered. */
class Pass {
  readonly #pieces: AsyncGenerator<Bytes, void>;
  /** The last ones: all of them, or one. */
  #kept: Bytes[] = [];
  #dropped = 0;
  #bytes = 0;
  #isComplete = false;
  #reading: Promise<void> | undefined;
  hasFailed = false;

  constructor(pieces: AsyncGenerator<Bytes, void>) {
    this.#pieces = pieces;
  }

  get isKept(): boolean {
    return this.#dropped === 0;
  }

  /** All pieces as one, if they are small. */
  async whole(): Promise<Bytes | undefined> {
    while (!this.#isComplete && this.#bytes <= SMALL) await this.#read();
    return this.#isComplete ? joined(this.#kept) : undefined;
  }

  async blob(): Promise<Blob> {
    const parts: Blob[] = [];
    for (let piece = await this.#piece(0); piece !== undefined; piece = await this.#piece(parts.length))
      parts.push(new Blob([piece]));
    return new Blob(parts);
  }

  stream(limit: TimeLimit): ReadableStream<Bytes> {
    let next = 0;
    return new ReadableStream(
      {
        pull: async (controller) => {
          // The time that the caller takes for the rows does not count.
          limit.stop();
          try {
            const piece = await this.#piece(next);
            next += 1;
            limit.start();
            if (piece === undefined) controller.close();
            else controller.enqueue(piece);
          } catch (error) {
            limit.fail(error);
            throw error;
          }
        },
      },
      { highWaterMark: 0 },
    );
  }

  close(): void {
    this.#pieces.return().catch(() => undefined);
  }

  /** Undefined after the last one. */
  async #piece(number: number): Promise<Bytes | undefined> {
    while (!this.#isComplete && number === this.#dropped + this.#kept.length) await this.#read();
    // Taken for the end, a piece that is gone would make an import of a part of the rows.
    if (number < this.#dropped)
      throw new StockbookError('connection_failed', { detail: 'The rows were sent already.' });
    return this.#kept[number - this.#dropped];
  }

  /** An attempt that was ended may still be reading, so the next one shares that. */
  #read(): Promise<void> {
    this.#reading ??= this.#keepNext().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #keepNext(): Promise<void> {
    try {
      const { value } = await this.#pieces.next();
      if (value === undefined) {
        this.#isComplete = true;
        return;
      }
      this.#bytes += value.length;
      if (this.#bytes > KEPT) this.#dropped += this.#kept.splice(0).length;
      this.#kept.push(value);
    } catch (error) {
      this.hasFailed = true;
      throw error;
    }
  }
}

function contentOf(blob: Blob): Content {
  return { size: blob.size, body: () => blob };
}

function joined(pieces: readonly Bytes[]): Bytes {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function beforeAbort<Result>(result: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal?.reason);
    signal?.addEventListener('abort', abort);
    result.then(resolve, reject).finally(() => signal?.removeEventListener('abort', abort));
  });
}
