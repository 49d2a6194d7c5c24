/** The HTTP server: turns connections into requests for the application, and its replies into bytes. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { App } from '../app.ts';
import type { Events } from '../observe/events.ts';
import type { TextReply } from '../reply/reply.ts';
import { MAX_HEAD_BYTES, splitTarget } from '../request/target.ts';
import { Deadline } from '../schedule/deadline.ts';
import type { Connection } from './connection.ts';
import { type ConnectionLimits, Connections } from './connections.ts';
import { Exchange } from './exchange.ts';
import { toRequest } from './incoming.ts';
import { MAX_HEADERS } from './malformed.ts';
import { Sender } from './send.ts';
import { SendingResponses } from './sending.ts';
import type { UnsentBytes } from './unsent-bytes.ts';

/** How long a client may take to send a complete request unless the options say otherwise, in milliseconds. */
const ARRIVAL_TIMEOUT = 60_000;

/** How often that is checked, in milliseconds. */
const ARRIVAL_CHECK_INTERVAL = 1_000;

export interface HttpServer {
  /** Resolves to the port once connections are accepted. */
  listen(address: { readonly host: string; readonly port: number }): Promise<number>;
  /** Accepts no new connections, and finishes the requests in progress within the grace period, in milliseconds. */
  stop(gracePeriod: number): Promise<void>;
}

export interface HttpOptions {
  /** The deadline of every request, in milliseconds. */
  readonly timeout: number;
  /** How long a stream may take, in milliseconds. */
  readonly streamTimeout: number;
  readonly connections: ConnectionLimits;
  readonly unsent: UnsentBytes;
  /** How long a client may take to send a complete request, in milliseconds. */
  readonly arrivalTimeout?: number;
  /** The clock that measures how fast clients read, in milliseconds; the system's by default. */
  readonly now?: () => number;
}

export function createHttpServer(
  app: Pick<App, 'refusal' | 'respond'>,
  events: Events,
  options: HttpOptions,
): HttpServer {
  const sending = new SendingResponses(events.emit, options.now);
  const sender = new Sender(options.streamTimeout, options.unsent, sending);
  const handle = async (exchange: Exchange, connection: Connection) => {
    const started = performance.now();
    const request = toRequest(exchange);
    const answer = await app.respond(request);
    const status = sender.send(exchange, request, answer, connection.afterResponse);
    if (events.wants('request completed'))
      onceClosed(exchange.response, () =>
        events.emit({
          kind: 'request completed',
          requestId: request.id,
          method: request.method,
          path: splitTarget(request.target).path,
          status,
          milliseconds: Math.round((performance.now() - started) * 1_000) / 1_000,
          ...(answer.session !== undefined && { account: answer.session.account.name, key: answer.session.keyId }),
        }),
      );
  };
  const server = createServer({
    maxHeaderSize: MAX_HEAD_BYTES,
    requestTimeout: options.arrivalTimeout ?? ARRIVAL_TIMEOUT,
    connectionsCheckingInterval: ARRIVAL_CHECK_INTERVAL,
    // A request without a Host header gets our response, not Node's empty one.
    requireHostHeader: false,
    // Creates no stream for the body of a request that has none.
    optimizeEmptyRequests: true,
  });
  server.maxHeadersCount = MAX_HEADERS;
  const connections = new Connections(server, options.connections, handle, events.emit);
  const take = (message: IncomingMessage, response: ServerResponse) => {
    const { url: target = '/', headers, method = '', socket } = message;
    const refusal = app.refusal({ method, target, headers, address: socket.remoteAddress ?? '' });
    if (refusal === undefined) connections.take(new Exchange(message, response, new Deadline(options.timeout), false));
    else refuse(response, method, refusal);
  };
  server.on('request', take);
  // Node would reject an unknown Expect header with an empty 417.
  server.on('checkExpectation', take);
  server.on('checkContinue', (message, response) =>
    connections.take(new Exchange(message, response, new Deadline(options.timeout), true)),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (socket instanceof Socket) connections.fail(socket, error.code);
  });
  return {
    async listen(address) {
      server.listen(address);
      await once(server, 'listening');
      const bound = server.address();
      return typeof bound === 'object' && bound !== null ? bound.port : address.port;
    },
    stop: (gracePeriod) => connections.stop(gracePeriod),
  };
}

/** As cheap as possible, since it happens when time is short. Node keeps the order of responses to pipelined requests. */
function refuse(response: ServerResponse, method: string, { status, headers, body }: TextReply): void {
  response.writeHead(status, {
    ...headers,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
  });
  response.end(method === 'HEAD' ? '' : body);
}

/** A client may disconnect before its response is ready. */
function onceClosed(response: ServerResponse, act: () => void): void {
  if (response.closed) act();
  else response.once('close', act);
}
