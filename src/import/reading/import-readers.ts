/**
 * The threads that read imports, of which a process has a few. The imports of an account are read by one of them, so that they never take more than a
 * core, and the accounts that share a thread take turns.
 */

import { availableParallelism } from 'node:os';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { Resource } from '../../catalog/resource.ts';
import { type CancelTimer, systemClock } from '../../schedule/clock.ts';
import { siblingModule } from '../../threads/thread.ts';
import type { Findings, FromReader, Piece, ReadingCommand, ReadingFailure, ReadingOrder, ToReader } from './order.ts';

/** The maximum number of threads. One core is left to the rest of the process. */
const MAX_THREADS = Math.max(1, Math.min(2, availableParallelism() - 1));

/** How long a thread waits for the next import before it ends, in milliseconds. */
const IDLE_TIME = 30_000;

/** What a thread's garbage collector may let grow, in megabytes. Imports hold far less, so this is only a last resort. */
const MAX_HEAP = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 512 };

export interface ReadingEnd {
  readonly findings: Findings;
  readonly failure?: ReadingFailure;
}

class ImportReaders {
  readonly #threads = new Set<ReaderThread>();

  /** Whatever makes `bytes` fail is thrown. Its thread is chosen when the first piece is taken, and reads for the account from then on. */
  async *read(
    order: ReadingOrder,
    resource: Resource,
    bytes: AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Piece, ReadingEnd, void> {
    return yield* this.#threadFor(order.account).read(order, resource, bytes);
  }

  #threadFor(account: number): ReaderThread {
    const threads = [...this.#threads].toSorted((a, b) => a.load - b.load);
    const own = threads.find((thread) => thread.isReadingFor(account));
    const [first] = threads;
    if (own !== undefined) return own;
    if (first !== undefined && (first.load === 0 || threads.length >= MAX_THREADS)) return first;
    const thread = new ReaderThread(() => this.#threads.delete(thread));
    this.#threads.add(thread);
    return thread;
  }
}

/** Those of this process. */
export const importReaders = new ImportReaders();

class ReaderThread {
  readonly #worker: Worker;
  readonly #onEnd: () => void;
  /** How many imports of each account it reads. */
  readonly #accounts = new Map<number, number>();
  /** Called if it ends in the middle. */
  readonly #interrupts = new Set<(error: unknown) => void>();
  #sent = new WeakMap<Resource, number>();
  #resources = 0;
  #cancelEnd: CancelTimer | undefined;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#worker = new Worker(siblingModule(import.meta.url, 'reading-thread'), { resourceLimits: MAX_HEAP });
    // An import keeps the process running by what it waits for.
    this.#worker.unref();
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new Error('the thread that reads imports has ended')));
  }

  /** How many imports it reads. */
  get load(): number {
    return this.#interrupts.size;
  }

  isReadingFor(account: number): boolean {
    return this.#accounts.has(account);
  }

  async *read(
    order: ReadingOrder,
    resource: Resource,
    bytes: AsyncIterable<Uint8Array>,
  ): AsyncGenerator<Piece, ReadingEnd, void> {
    const { port1, port2 } = new MessageChannel();
    const messages = new Messages(port1, bytes[Symbol.asyncIterator]());
    const interrupt = (error: unknown) => messages.fail(error);
    this.#begin(order.account, interrupt);
    const command: ReadingCommand = { order, resource: this.#resource(resource), port: port2 };
    this.#worker.postMessage(command, [port2]);
    try {
      for (;;) {
        const message = await messages.next();
        if (message.kind === 'end') return message;
        yield message.piece;
        port1.postMessage({ kind: 'taken' } satisfies ToReader);
      }
    } finally {
      // The other side notices that nobody wants the rest.
      port1.close();
      this.#finish(order.account, interrupt);
      messages.close();
    }
  }

  #begin(account: number, interrupt: (error: unknown) => void): void {
    this.#cancelEnd?.();
    this.#accounts.set(account, (this.#accounts.get(account) ?? 0) + 1);
    this.#interrupts.add(interrupt);
  }

  #finish(account: number, interrupt: (error: unknown) => void): void {
    const left = (this.#accounts.get(account) ?? 0) - 1;
    if (left > 0) this.#accounts.set(account, left);
    else this.#accounts.delete(account);
    this.#interrupts.delete(interrupt);
    if (this.#interrupts.size > 0) return;
    this.#cancelEnd = systemClock.after(IDLE_TIME, () => {
      this.#onEnd();
      void this.#worker.terminate();
    });
  }

  #resource(resource: Resource): ReadingCommand['resource'] {
    const known = this.#sent.get(resource);
    if (known !== undefined) return { number: known };
    this.#resources += 1;
    this.#sent.set(resource, this.#resources);
    return { number: this.#resources, content: resource };
  }

  #end(error: unknown): void {
    this.#onEnd();
    for (const interrupt of this.#interrupts) interrupt(error);
  }
}

/** What a thread says about one import. Bytes are sent as it wants them. */
class Messages {
  readonly #port: MessageChannel['port1'];
  readonly #bytes: AsyncIterator<Uint8Array>;
  readonly #waiting: Exclude<FromReader, { kind: 'bytes wanted' }>[] = [];
  #error: { readonly thrown: unknown } | undefined;
  #wake: () => void = () => {};

  constructor(port: MessageChannel['port1'], bytes: AsyncIterator<Uint8Array>) {
    this.#port = port;
    this.#bytes = bytes;
    port.on('message', (message: FromReader) => {
      if (message.kind === 'bytes wanted') void this.#sendBytes();
      else {
        this.#waiting.push(message);
        this.#wake();
      }
    });
  }

  async next(): Promise<Exclude<FromReader, { kind: 'bytes wanted' }>> {
    for (;;) {
      if (this.#error !== undefined) throw this.#error.thrown;
      const message = this.#waiting.shift();
      if (message !== undefined) return message;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  fail(error: unknown): void {
    this.#error ??= { thrown: error };
    this.#wake();
  }

  /** Whatever is left of the bytes is not read. Not awaited: a client may take long to send the next of them. */
  close(): void {
    this.#bytes.return?.().catch(() => undefined);
  }

  async #sendBytes(): Promise<void> {
    try {
      const next = await this.#bytes.next();
      if (next.done === true) {
        this.#port.postMessage({ kind: 'no more bytes' } satisfies ToReader);
        return;
      }
      // A chunk may be a small part of a buffer, all of which would be copied.
      const bytes = new Uint8Array(next.value);
      this.#port.postMessage({ kind: 'bytes', bytes } satisfies ToReader, [bytes.buffer]);
    } catch (error) {
      this.fail(error);
    }
  }
}
