/** The HTTP server: reads requests from connections for the application, and writes its replies. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createNetServer, type Server as NetServer, Socket } from 'node:net';
import type { App } from '../app.ts';
import type { UnsentBytes } from '../limits/unsent-bytes.ts';
import { CompletedRequest, NOTHING_SENT } from '../observe/completed-request.ts';
import type { Events } from '../observe/events.ts';
import { MAX_HEAD_BYTES } from '../request/target.ts';
import { TrustedProxies } from '../request/trusted-proxies.ts';
import { type Clock, systemClock } from '../schedule/clock.ts';
import type { Connection } from './connection.ts';
import { type ConnectionLimits, type ConnectionStats, Connections, KEEP_ALIVE } from './connections.ts';
import { Exchange } from './exchange.ts';
import { toRequest } from './incoming.ts';
import { MAX_HEADERS } from './malformed.ts';
import { Sender } from './send.ts';
import { SendingResponses } from './sending.ts';

/** How long a client may take to send a complete request unless the options say otherwise, in milliseconds. */
const ARRIVAL_TIMEOUT = 60_000;

/** How often that is checked within this time. */
const ARRIVAL_CHECKS = 60;

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** How many sockets to listen with, of which each accepts a connection in every turn of the event loop; 1 by default, which is not shared. */
  readonly listeners?: number;
}

export interface HttpServer {
  /** Resolves to the port once connections are accepted. */
  listen(address: ListenAddress): Promise<number>;
  /** Accepts no new connections, and finishes the requests in progress within the grace period, in milliseconds. */
  stop(gracePeriod: number): Promise<void>;
  stats(): HttpStats;
}

export interface HttpStats {
  readonly connections: ConnectionStats;
  /** Responses that their clients have not read completely. */
  readonly sending: number;
  /** Their bytes that are held in memory. */
  readonly unsentBytes: number;
}

export interface HttpOptions {
  /** The deadline of every request, in milliseconds. */
  readonly timeout: number;
  /** How long a stream may take, in milliseconds. */
  readonly streamTimeout: number;
  readonly connections: ConnectionLimits;
  readonly unsent: UnsentBytes;
  /** None by default. */
  readonly proxies?: TrustedProxies;
  /** How long a client may take to send a complete request, in milliseconds. Node measures it, by its own clock. */
  readonly arrivalTimeout?: number;
  readonly clock?: Clock;
}

export function createHttpServer(app: Pick<App, 'respond'>, events: Events, options: HttpOptions): HttpServer {
  const { proxies = new TrustedProxies(), clock = systemClock, arrivalTimeout = ARRIVAL_TIMEOUT } = options;
  const sending = new SendingResponses(events.emit, clock);
  const sender = new Sender(options.streamTimeout, options.unsent, sending, clock);
  const isWanted = events.wants('request completed');
  const handle = async (exchange: Exchange, connection: Connection) => {
    const started = clock.monotonic();
    const request = toRequest(exchange, proxies);
    const answer = await app.respond(request);
    const responded = clock.monotonic();
    const hasLeft = exchange.response.closed;
    const sent = sender.send(exchange, request, answer, connection.afterResponse);
    // A request that was cancelled because its client left is nobody's failure.
    const seen = hasLeft && sent.status >= 500 ? NOTHING_SENT : sent;
    if (isWanted)
      exchange.onClosed(() => {
        const times = { started, responded, closed: clock.monotonic() };
        events.emit(new CompletedRequest(request, answer, seen, times));
      });
  };
  const server = createServer({
    maxHeaderSize: MAX_HEAD_BYTES,
    requestTimeout: arrivalTimeout,
    connectionsCheckingInterval: arrivalTimeout / ARRIVAL_CHECKS,
    keepAliveTimeout: KEEP_ALIVE,
    // A request without a Host header gets our response, not Node's empty one.
    requireHostHeader: false,
    // Creates no stream for the body of a request that has none.
    optimizeEmptyRequests: true,
  });
  server.maxHeadersCount = MAX_HEADERS;
  const listeners: NetServer[] = [server];
  const limits = { ...options.connections, proxies };
  const connections = new Connections(server, listeners, limits, handle, events.emit, clock);
  const take = (message: IncomingMessage, response: ServerResponse) =>
    connections.take(new Exchange(message, response, clock, options.timeout, false));
  server.on('request', take);
  // Node would reject an unknown Expect header with an empty 417.
  server.on('checkExpectation', take);
  server.on('checkContinue', (message, response) =>
    connections.take(new Exchange(message, response, clock, options.timeout, true)),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (socket instanceof Socket) connections.fail(socket, error.code);
  });
  return {
    async listen({ host, port, listeners: count = 1 }) {
      const reusePort = count > 1;
      server.listen({ host, port, reusePort });
      await once(server, 'listening');
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address.port : port;
      for (let n = 1; n < count; n += 1) {
        // As the HTTP server accepts them.
        const listener = createNetServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
          server.emit('connection', socket),
        );
        listeners.push(listener);
        listener.listen({ host, port: bound, reusePort });
        await once(listener, 'listening');
      }
      return bound;
    },
    stop: (gracePeriod) => connections.stop(gracePeriod),
    stats: () => ({
      connections: connections.stats,
      sending: sending.size,
      unsentBytes: options.unsent.total,
    }),
  };
}
