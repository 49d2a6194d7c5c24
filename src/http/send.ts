/** Sends replies, and limits how long that takes and how many bytes wait for their clients. */

import type { ServerResponse } from 'node:http';
import type { Response } from '../app.ts';
import type { UnsentBytes } from '../limits/unsent-bytes.ts';
import type { Sent } from '../observe/completed-request.ts';
import type { Observed } from '../observe/observed.ts';
import type { ProblemCode } from '../problem/registry.ts';
import { problemReply } from '../reply/problem.ts';
import { isStreamed, type Reply, type StreamedBody } from '../reply/reply.ts';
import type { Request } from '../request/request.ts';
import type { Clock } from '../schedule/clock.ts';
import { byteLength, type Pieces } from '../store/pieces.ts';
import type { Exchange } from './exchange.ts';
import { closeLingering } from './linger.ts';
import type { SendingResponses } from './sending.ts';
import { sendPieces, sendStream, streamHeaders } from './stream.ts';

/** A larger body, in bytes, is only sent if the account has room for it. */
const SMALL_BODY = 64 * 1024;

/** What happens to the connection after a response. It lingers if the client may still be sending. */
export type AfterResponse = 'keep alive' | 'close' | 'linger';

export class Sender {
  /** In milliseconds. */
  readonly #streamTimeout: number;
  readonly #unsent: UnsentBytes;
  readonly #sending: SendingResponses;
  readonly #clock: Clock;

  constructor(streamTimeout: number, unsent: UnsentBytes, sending: SendingResponses, clock: Clock) {
    this.#streamTimeout = streamTimeout;
    this.#unsent = unsent;
    this.#sending = sending;
    this.#clock = clock;
  }

  send(exchange: Exchange, request: Request, answer: Response, after: AfterResponse): Sent {
    const { message, response, deadline } = exchange;
    const reply = this.#withinShare(request, answer);
    const { status, headers, body } = reply;
    const sent = new SentReply(reply);
    if (response.destroyed) {
      if (isStreamed(body)) body.close().catch(() => undefined);
      return sent;
    }
    const bytes = body === undefined || isStreamed(body) ? 0 : byteLength(body);
    if (after !== 'keep alive') response.shouldKeepAlive = false;
    response.writeHead(status, {
      ...headers,
      ...(isStreamed(body) ? streamHeaders(body, response) : body !== undefined && { 'content-length': bytes }),
      ...answer.keyHeaders,
      ...(answer.timing !== undefined && { 'server-timing': answer.timing.print(answer.observed?.totalSource) }),
      'x-request-id': request.id,
      ...(request.trace !== undefined && { traceparent: request.trace.traceparent }),
      'x-content-type-options': 'nosniff',
    });
    if (isStreamed(body)) {
      this.#sendStream(exchange, request, this.#counted(body, response, request.id, answer.observed?.session), sent);
      return sent;
    }
    if (request.method !== 'HEAD') sent.bytes = bytes;
    const isLast = after === 'linger' || (!message.complete && isClosing(response, headers));
    const isPieced =
      !isLast && typeof body === 'object' && body.length > 1 && bytes > SMALL_BODY && request.method !== 'HEAD';
    if (isPieced) sendPieces(response, body);
    else if (isLast) sendLast(exchange, body);
    // Node omits the body in the response to HEAD.
    else response.end(request.method === 'HEAD' ? '' : wholeOf(body));
    // Usually the kernel has taken all of it.
    if (!isPieced && response.writableLength === 0) return sent;
    const session = answer.observed?.session;
    const held = session && this.#unsent.hold(session.account.id);
    held?.add(bytes);
    this.#sending.watch(response, request.id, { at: deadline.at, reason: 'deadline' }, () => held?.close());
    return sent;
  }

  /**
   * A large reply is replaced if there is no room for it: many requests may have been accepted before the first of them was
   * answered. Nothing was changed by a request whose reply is large.
   */
  #withinShare(request: Request, { reply, observed }: Response): Reply {
    const { body } = reply;
    if (body === undefined || isStreamed(body) || observed?.session === undefined) return reply;
    const size = typeof body === 'string' ? body.length : byteLength(body);
    if (size <= SMALL_BODY) return reply;
    const problem = this.#unsent.check(observed.session.account.id, size);
    return problem === undefined ? reply : withAccessOf(reply, problemReply(problem, request));
  }

  /**
   * At most two chunks of a stream are held: one is being sent, and one is ready. If its account has too many unread bytes,
   * it is aborted, so that clients that do not read cannot make the process hold chunks for each of them.
   */
  #counted(
    body: StreamedBody,
    response: ServerResponse,
    requestId: string,
    session: Observed['session'],
  ): StreamedBody {
    if (session === undefined) return body;
    const { id } = session.account;
    const held = this.#unsent.hold(id);
    const sizes: number[] = [];
    return {
      ...body,
      next: async () => {
        if (sizes.length === 2) held.remove(sizes.shift() ?? 0);
        const chunk = await body.next();
        if (chunk === undefined) return undefined;
        if (this.#unsent.check(id, chunk.byteLength) !== undefined) this.#sending.abort(response, requestId);
        sizes.push(chunk.byteLength);
        held.add(chunk.byteLength);
        return chunk;
      },
      close: () => {
        held.close();
        return body.close();
      },
    };
  }

  /** Until the first chunk, a stream was subject to the deadline. Its rate and its duration are limited instead. */
  #sendStream({ response, deadline }: Exchange, { id, method }: Request, body: StreamedBody, sent: SentReply): void {
    deadline.end();
    if (method === 'HEAD') {
      const end = () => response.end();
      body.close().then(end, end);
      return;
    }
    sendStream(response, sent.counted(body));
    this.#sending.watch(response, id, { at: this.#clock.monotonic() + this.#streamTimeout, reason: 'stream timeout' });
  }
}

/** Bytes and rows of a stream grow until it ends. */
class SentReply implements Sent {
  readonly status: number;
  readonly problem: ProblemCode | undefined;
  bytes = 0;
  readonly #rows: number | (() => number) | undefined;

  constructor({ status, problem, rows, body }: Reply) {
    this.status = status;
    this.problem = problem;
    this.#rows = rows ?? (isStreamed(body) ? body.rows : undefined);
  }

  get rows(): number | undefined {
    return typeof this.#rows === 'function' ? this.#rows() : this.#rows;
  }

  counted(body: StreamedBody): StreamedBody {
    return {
      ...body,
      next: async () => {
        const chunk = await body.next();
        this.bytes += chunk?.byteLength ?? 0;
        return chunk;
      },
    };
  }
}

/** A web page that may read a response may read what is sent instead. */
function withAccessOf({ headers }: Reply, replacement: Reply): Reply {
  const access = Object.entries(headers).filter(([name]) => name === 'vary' || name.startsWith('access-control-'));
  return { ...replacement, headers: { ...replacement.headers, ...Object.fromEntries(access) } };
}

function wholeOf(body: string | Pieces | undefined): string | Uint8Array | undefined {
  if (typeof body !== 'object') return body;
  return body.length === 1 ? body[0] : Buffer.concat(body);
}

function isClosing({ shouldKeepAlive }: ServerResponse, { connection }: Reply['headers']): boolean {
  return !shouldKeepAlive || connection !== undefined;
}

/** Node would close the connection at the end of the response, while the client may still be sending. */
function sendLast({ message, response, clock }: Exchange, body: string | Pieces = ''): void {
  message.resume();
  response.flushHeaders();
  // Pieces may be shared by many responses, so they are not joined.
  for (const piece of typeof body === 'string' ? [body] : body) response.write(piece);
  if (response.socket !== null) closeLingering(response.socket, clock);
}
