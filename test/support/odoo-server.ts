/** An Odoo on a socket, whose requests fail as a test says. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { error, json, NO_DATABASE, OdooDatabase, type OdooReply } from './odoo-database.ts';

/** How the next request fails. */
export type OdooFailure = 'closed' | 'restarting' | 'database away' | 'busy';

export class OdooServer extends OdooDatabase {
  readonly #protocol: 'http' | 'https';
  readonly #server: Server;
  readonly #failures: OdooFailure[] = [];
  readonly #time: { seconds: number };
  /** Whether connections are closed without a response. */
  isDown = false;
  requests = 0;
  /** Called before every request. */
  onRequest: (() => void) | undefined;

  constructor(version = 19, tls?: { readonly key: string; readonly cert: string }) {
    const time = { seconds: 0 };
    super(version, () => Date.UTC(2026, 0, 1) + time.seconds * 1_000);
    this.#time = time;
    const handle = (request: IncomingMessage, response: ServerResponse) => this.#handle(request, response);
    this.#protocol = tls === undefined ? 'http' : 'https';
    this.#server = tls === undefined ? createServer(handle) : createTlsServer(tls, handle);
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const { port } = this.#server.address() as AddressInfo;
    return `${this.#protocol}://127.0.0.1:${port}/`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** The next requests fail, one after another. */
  fail(...failures: readonly OdooFailure[]): void {
    this.#failures.push(...failures);
  }

  /** Time passes. */
  wait(seconds: number): void {
    this.#time.seconds += seconds;
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      this.requests += 1;
      this.onRequest?.();
      const failure = this.isDown ? 'closed' : this.#failures.shift();
      if (failure === 'closed') {
        request.socket.destroy();
        return;
      }
      const { url: path = '', headers } = request;
      const reply = failed(failure) ?? this.respond({ path, headers, body: Buffer.concat(chunks).toString() });
      const retry = failure === 'busy' ? { 'retry-after': '0' } : {};
      response.writeHead(reply.status, { 'content-type': reply.type, ...retry }).end(reply.text);
    });
  }
}

function failed(failure: Exclude<OdooFailure, 'closed'> | undefined): OdooReply | undefined {
  switch (failure) {
    case undefined:
      return undefined;
    case 'database away':
      return NO_DATABASE;
    case 'restarting':
      return json(500, error('psycopg2.InterfaceError', 'cursor already closed'));
    case 'busy':
      return json(429, {});
  }
}
