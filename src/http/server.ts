/** The HTTP server: turns connections into requests for the application, and its replies into bytes. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { App } from '../app.ts';
import type { Events } from '../observe/events.ts';
import { MAX_HEAD_BYTES, splitTarget } from '../request/target.ts';
import { Connections } from './connections.ts';
import { toRequest } from './incoming.ts';
import { respondToMalformed } from './malformed.ts';
import { send } from './send.ts';

/** How long a client may take to send a complete request, in milliseconds. */
const REQUEST_TIMEOUT = 60_000;

export interface HttpServer {
  /** Resolves to the port once connections are accepted. */
  listen(address: { readonly host: string; readonly port: number }): Promise<number>;
  /** Accepts no new connections, and finishes the requests in progress within the grace period, in milliseconds. */
  stop(gracePeriod: number): Promise<void>;
}

export function createHttpServer(app: App, events: Events): HttpServer {
  const handle = async (message: IncomingMessage, response: ServerResponse) => {
    const started = performance.now();
    const request = toRequest(message);
    const { reply, session, timing } = await app.respond(request);
    if (events.wants('request completed'))
      onceClosed(response, () =>
        events.emit({
          kind: 'request completed',
          requestId: request.id,
          method: request.method,
          path: splitTarget(request.target).path,
          status: reply.status,
          milliseconds: Math.round((performance.now() - started) * 1_000) / 1_000,
          ...(session !== undefined && { account: session.account.name, key: session.keyId }),
        }),
      );
    send(response, reply, { requestId: request.id, timing });
  };
  const server = createServer({
    maxHeaderSize: MAX_HEAD_BYTES,
    requestTimeout: REQUEST_TIMEOUT,
    // A request without a Host header gets our response, not Node's empty one.
    requireHostHeader: false,
    // Creates no stream for the body of a request that has none.
    optimizeEmptyRequests: true,
  });
  server.on('request', handle);
  // Node would reject an unknown Expect header with an empty 417.
  server.on('checkExpectation', handle);
  const connections = new Connections(server);
  server.on('clientError', (error, socket) => {
    if (socket instanceof Socket) respondToMalformed(error, socket, connections);
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

/** A client may disconnect before its response is ready. */
function onceClosed(response: ServerResponse, act: () => void): void {
  if (response.closed) act();
  else response.once('close', act);
}
