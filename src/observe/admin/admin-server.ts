/** The HTTP server on the admin address. It is separate from the one that clients use, and knows no keys. */

import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AdminApp, type AdminReply, problem } from './admin-app.ts';
import { isAllowedHost } from './host-check.ts';

/** The maximum number of open connections. */
export const MAX_CONNECTIONS = 64;

/** How long a request may take to arrive, in milliseconds. */
const ARRIVAL_TIMEOUT = 5_000;

/** How often that is checked within this time. */
const ARRIVAL_CHECKS = 5;

const MAX_HEAD_BYTES = 8 * 1024;

interface AdminAddress {
  readonly host: string;
  readonly port: number;
  /** How long a request may take to arrive, in milliseconds. Node measures it, by its own clock. */
  readonly arrivalTimeout?: number;
}

export interface AdminServer {
  readonly port: number;
  close(): Promise<void>;
}

export async function startAdminServer(
  app: Pick<AdminApp, 'respond'>,
  { host, port, arrivalTimeout = ARRIVAL_TIMEOUT }: AdminAddress,
): Promise<AdminServer> {
  const server = createServer(
    {
      maxHeaderSize: MAX_HEAD_BYTES,
      requestTimeout: arrivalTimeout,
      connectionsCheckingInterval: arrivalTimeout / ARRIVAL_CHECKS,
    },
    (message, response) => {
      // A scrape that fails must not end the service.
      reply(app, host, message).then(
        (sent) => send(message, response, sent),
        () => send(message, response, problem(500, 'Internal error', 'The numbers could not be collected.')),
      );
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.listen({ host, port });
  await once(server, 'listening');
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function reply(
  app: Pick<AdminApp, 'respond'>,
  configuredHost: string,
  { method = '', url = '', headers }: IncomingMessage,
): Promise<AdminReply> {
  if (!isAllowedHost(headers.host, configuredHost))
    return problem(
      421,
      'Wrong host',
      'The admin address answers requests to IP addresses, to localhost and to the host of --admin-host.',
    );
  if (method !== 'GET' && method !== 'HEAD') return problem(405, 'Method not allowed', 'Use GET or HEAD.');
  return app.respond(url.split('?', 1)[0] ?? '');
}

function send({ method }: IncomingMessage, response: ServerResponse, { status, type, body }: AdminReply): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 405 && { allow: 'GET, HEAD', connection: 'close' }),
  });
  response.end(method === 'HEAD' ? undefined : body);
}
