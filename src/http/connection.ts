/**
 * One connection. Its requests are handled one after another, in the order of their responses, so that a client that
 * pipelines has no more than one request in progress. When it closes, they are cancelled.
 */

import type { Socket } from 'node:net';
import { MalformedRequest } from '../observe/completed-request.ts';
import type { Emit } from '../observe/events.ts';
import type { Problem } from '../problem/problem.ts';
import type { Clock } from '../schedule/clock.ts';
import type { Cancelled } from '../schedule/deadline.ts';
import type { Exchange } from './exchange.ts';
import { discardInput } from './linger.ts';
import { respondRaw } from './raw-response.ts';
import type { AfterResponse } from './send.ts';

/**
 * The maximum number of pipelined requests that wait on a connection. If more arrive, the response to the last of these closes the
 * connection, and the client has to send the others again (RFC 9112, section 9.3.2).
 */
export const MAX_WAITING = 100;

/** Responds to a request. The response may be closed at any time. */
export type Handle = (exchange: Exchange, connection: Connection) => void;

/** The maximum number of ignored requests on all connections: Node keeps them until their connection closes. */
const MAX_IGNORED = 10_000;

/** Counts the requests that are ignored. */
export class IgnoredRequests {
  #count = 0;

  /** False if there are too many. */
  add(): boolean {
    this.#count += 1;
    return this.#count <= MAX_IGNORED;
  }

  remove(count: number): void {
    this.#count -= count;
  }
}

export class Connection {
  readonly socket: Socket;
  readonly #handle: Handle;
  readonly #onIdle: (isIdle: boolean) => void;
  readonly #ignored: IgnoredRequests;
  readonly #emit: Emit;
  readonly #clock: Clock;
  #current: Exchange | undefined;
  readonly #waiting: Exchange[] = [];
  /** The last request that arrived, until it is complete and answered. */
  #latest: Exchange | undefined;
  /** Nothing after the latest request is handled. */
  #isOver = false;
  /** What to respond to the bytes after the latest request, once it is answered. */
  #problem: Problem | undefined;
  #ignoredCount = 0;
  #isStopping = false;

  /** `onIdle` is called when a request arrives, and once all that arrived are answered. */
  constructor(
    socket: Socket,
    handle: Handle,
    onIdle: (isIdle: boolean) => void,
    ignored: IgnoredRequests,
    emit: Emit,
    clock: Clock,
  ) {
    this.socket = socket;
    this.#handle = handle;
    this.#onIdle = onIdle;
    this.#ignored = ignored;
    this.#emit = emit;
    this.#clock = clock;
    socket.once('close', () => this.#close());
  }

  get isIdle(): boolean {
    return this.#current === undefined;
  }

  /** What happens after the response to the current request. */
  get afterResponse(): AfterResponse {
    if (this.#waiting.length > 0) return 'keep alive';
    if (this.#isOver && this.#problem === undefined) return 'linger';
    return this.#isStopping ? 'close' : 'keep alive';
  }

  take(exchange: Exchange): void {
    if (this.#isOver || this.#waiting.length === MAX_WAITING) this.#ignore();
    else {
      this.#latest = exchange;
      if (this.#current === undefined) {
        this.#onIdle(false);
        this.#start(exchange);
      } else this.#waiting.push(exchange);
    }
  }

  /** Whether the body of the latest request is read in pieces, and may take longer than others. */
  get isStreaming(): boolean {
    return this.#latest?.isStreamed === true && !this.#latest.message.complete;
  }

  /** The rest of the latest request, or what follows it, is malformed or does not arrive in time. */
  fail(problem: Problem): void {
    const latest = this.#latest;
    const isBody = latest !== undefined && !latest.message.complete;
    // If the request is answered already, this would be taken for the response to the next one.
    if (this.#isOver || (isBody && latest.response.headersSent)) this.socket.destroy();
    else if (isBody) latest.failBody(problem);
    else if (this.#current === undefined) this.#reject(problem);
    else this.#problem = problem;
    this.#isOver = true;
  }

  /** Closes the connection once the requests that have arrived are answered. */
  stop(): void {
    this.#isStopping = true;
  }

  cancel(reason: Cancelled['reason']): void {
    this.#current?.deadline.cancel(reason);
    for (const { deadline } of this.#waiting) deadline.cancel(reason);
  }

  #start(exchange: Exchange): void {
    this.#current = exchange;
    exchange.response.on('close', this.#next);
    this.#handle(exchange, this);
  }

  readonly #next = () => {
    const done = this.#current;
    done?.close();
    if (done === this.#latest && done?.message.complete) this.#latest = undefined;
    this.#current = undefined;
    // Without a response, a request that has side effects must not be handled.
    if (!this.socket.writable) return;
    const next = this.#waiting.shift();
    if (next !== undefined) this.#start(next);
    else if (this.#problem !== undefined) this.#reject(this.#problem);
    else if (this.#isStopping) this.socket.end();
    else this.#onIdle(true);
  };

  /** Responds to bytes that are not a request. */
  #reject(problem: Problem): void {
    const sent = respondRaw(this.socket, problem, this.#clock);
    this.#emit(new MalformedRequest(this.socket.remoteAddress ?? '', sent));
  }

  #ignore(): void {
    // Later, because Node's parser is still reading what has arrived.
    if (!this.#isOver) process.nextTick(discardInput, this.socket);
    this.#isOver = true;
    this.#ignoredCount += 1;
    if (!this.#ignored.add()) this.socket.destroy();
  }

  #close(): void {
    this.cancel('disconnected');
    this.#waiting.length = 0;
    this.#ignored.remove(this.#ignoredCount);
  }
}
