/** A proxy on raw sockets that does to connections what networks do to them. */

import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** What happens to a connection. */
export type Fault =
  | 'none'
  /** It is reset when the request arrives. */
  | 'request lost'
  /** The service handles the request, and the response gets lost. */
  | 'response lost'
  /** The request never gets to the service, and nothing ever comes back. */
  | 'silence'
  /** It is reset after this many bytes of the response. */
  | { readonly cutAfter: number }
  /** Nothing more arrives after this many bytes of the response. */
  | { readonly stallAfter: number };

export interface FaultyProxy {
  readonly url: string;
  /** The heads of all requests so far. */
  readonly requests: readonly string[];
  /** The number of connections that are open, in either direction. */
  open(): number;
  /** Ends all connections. */
  disconnect(): void;
  close(): Promise<void>;
}

/** The faults of the first connections, in order. Later ones have none. */
export async function startProxy(port: number, faults: readonly Fault[]): Promise<FaultyProxy> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let connections = 0;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    return socket;
  };
  const server = createServer((client) => {
    const fault = faults[connections] ?? 'none';
    connections += 1;
    keep(client).on('data', (bytes) => requests.push(String(bytes).split('\r\n\r\n')[0] ?? ''));
    if (fault === 'silence') return;
    if (fault === 'request lost') {
      client.once('data', () => client.resetAndDestroy());
      return;
    }
    const service = keep(connect(port, '127.0.0.1'));
    client.pipe(service);
    if (fault === 'none') service.pipe(client);
    else if (fault === 'response lost') service.once('data', () => client.resetAndDestroy());
    else {
      let left = 'cutAfter' in fault ? fault.cutAfter : fault.stallAfter;
      service.on('data', (bytes) => {
        client.write(bytes.subarray(0, Math.max(left, 0)));
        left -= bytes.length;
        // Gracefully at first, so that what was written arrives.
        if (left <= 0 && 'cutAfter' in fault) client.end(() => client.resetAndDestroy());
      });
    }
    client.on('close', () => service.destroy());
    service.on('close', () => client.end());
  });
  const disconnect = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    ...(await listening(server)),
    requests,
    open: () => sockets.size,
    disconnect,
    async close() {
      disconnect();
      await closed(server);
    },
  };
}

/**
 * Responds with the first lines of a response of the service, and ends regularly: what a proxy does that turns a broken
 * connection into the end of the response.
 */
export async function startTruncatingProxy(port: number, lines: number): Promise<FaultyProxy> {
  const requests: string[] = [];
  const server = createServer((client) => {
    client
      .on('error', () => {})
      .once('data', async (bytes) => {
        const head = String(bytes).split('\r\n\r\n')[0] ?? '';
        requests.push(head);
        const [, path = ''] = head.split(' ');
        const pick = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]?.trim() ?? '';
        const sent = ['authorization', 'cookie', 'stockbook-console', 'accept'].map((name) => [name, pick(name)]);
        const response = await fetch(`http://127.0.0.1:${port}${path}`, {
          headers: Object.fromEntries(sent.filter(([, value]) => value !== '')),
        });
        const body = (await response.text()).split(/(?<=\n)/).slice(0, lines);
        const headers = [...response.headers].filter(([name]) => /^(?:stockbook-|content-type)/.test(name));
        const answer = ['HTTP/1.1 200 OK', ...headers.map((pair) => pair.join(': ')), 'connection: close', '', ''];
        client.end(answer.join('\r\n') + body.join(''));
      });
  });
  return { ...(await listening(server)), requests, open: () => 0, disconnect: () => {}, close: () => closed(server) };
}

/** Forwards requests, except those for some paths, which are a 503. */
export async function startHttpProxy(
  port: number,
  isRefused: (path: string) => boolean,
): Promise<Pick<FaultyProxy, 'url' | 'close'>> {
  const server = createHttpServer(async ({ url: path = '', headers }, response) => {
    if (isRefused(path)) {
      response.writeHead(503, { 'retry-after': '0' }).end();
      return;
    }
    const { authorization = '' } = headers;
    const forwarded = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization } });
    response.writeHead(forwarded.status, { 'content-type': 'application/json' }).end(await forwarded.text());
  });
  const close = () => {
    server.closeAllConnections();
    return closed(server);
  };
  return { ...(await listening(server)), close };
}

async function listening(server: Server): Promise<{ readonly url: string }> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port }: AddressInfo = Object(server.address());
  return { url: `http://127.0.0.1:${port}` };
}

async function closed(server: Server): Promise<void> {
  const end = once(server, 'close');
  server.close();
  await end;
}
