/** Sends replies, and limits how long that takes and how many bytes wait for their clients. */

import type { ServerResponse } from 'node:http';
import type { Response } from '../app.ts';
import { problemReply } from '../reply/problem.ts';
import type { Reply, StreamedBody } from '../reply/reply.ts';
import type { Request } from '../request/request.ts';
import type { Exchange } from './exchange.ts';
import { closeLingering } from './linger.ts';
import type { SendingResponses } from './sending.ts';
import { sendStream, streamHeaders } from './stream.ts';
import type { UnsentBytes } from './unsent-bytes.ts';

/** A longer text, in characters, is only sent if the account has room for it. */
const SMALL_TEXT = 64 * 1024;

/** What happens to the connection after a response. It lingers if the client may still be sending. */
export type AfterResponse = 'keep alive' | 'close' | 'linger';

export class Sender {
  /** In milliseconds. */
  readonly #streamTimeout: number;
  readonly #unsent: UnsentBytes;
  readonly #sending: SendingResponses;

  constructor(streamTimeout: number, unsent: UnsentBytes, sending: SendingResponses) {
    this.#streamTimeout = streamTimeout;
    this.#unsent = unsent;
    this.#sending = sending;
  }

  /** Returns the status that is sent. */
  send(exchange: Exchange, request: Request, answer: Response, after: AfterResponse): number {
    const { message, response, deadline } = exchange;
    const { status, headers, body } = this.#withinShare(request, answer);
    if (response.destroyed) {
      if (typeof body === 'object') body.close().catch(() => undefined);
      return status;
    }
    const isStream = typeof body === 'object';
    const bytes = typeof body === 'string' ? Buffer.byteLength(body) : 0;
    if (after !== 'keep alive') response.shouldKeepAlive = false;
    response.writeHead(status, {
      ...headers,
      ...(isStream ? streamHeaders(body) : body !== undefined && { 'content-length': bytes }),
      ...(answer.timing !== undefined && { 'server-timing': answer.timing.print() }),
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
    });
    if (isStream) {
      this.#sendStream(exchange, request, body);
      return status;
    }
    if (after === 'linger' || (!message.complete && isClosing(response, headers))) sendLast(exchange, body ?? '');
    // Node omits the body in the response to HEAD.
    else response.end(body);
    // Usually the kernel has taken all of it.
    if (response.writableLength === 0) return status;
    const release = answer.session && this.#unsent.add(answer.session.account.id, bytes);
    this.#sending.watch(response, request.id, { at: deadline.at, reason: 'deadline' }, release);
    return status;
  }

  /**
   * A large reply is replaced if there is no room for it: many requests may have been accepted before the first of them was
   * answered. Nothing was changed by a request whose reply is large.
   */
  #withinShare(request: Request, { reply, session }: Response): Reply {
    if (typeof reply.body !== 'string' || reply.body.length <= SMALL_TEXT || session === undefined) return reply;
    const problem = this.#unsent.check(session.account.id, reply.body.length);
    return problem === undefined ? reply : problemReply(problem, request);
  }

  /** Until the first chunk, a stream was subject to the deadline. Its rate and its duration are limited instead. */
  #sendStream({ response, deadline }: Exchange, { id, method }: Request, body: StreamedBody): void {
    deadline.end();
    if (method === 'HEAD') {
      const end = () => response.end();
      body.close().then(end, end);
      return;
    }
    sendStream(response, body);
    this.#sending.watch(response, id, { at: performance.now() + this.#streamTimeout, reason: 'stream timeout' });
  }
}

function isClosing({ shouldKeepAlive }: ServerResponse, { connection }: Reply['headers']): boolean {
  return !shouldKeepAlive || connection !== undefined;
}

/** Node would close the connection at the end of the response, while the client may still be sending. */
function sendLast({ message, response }: Exchange, body: string): void {
  message.resume();
  response.flushHeaders();
  response.write(body);
  if (response.socket !== null) closeLingering(response.socket);
}
