/** The open connections of a server and the responses in progress on them, so that it can stop without cutting any off. */

import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** How long an idle connection stays open once the server stops, in milliseconds: a request may be on its way. */
const LINGER = 500;

export class Connections {
  readonly #server: Server;
  readonly #responses = new Map<Socket, Set<ServerResponse>>();
  #isStopping = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#responses.set(socket, new Set());
      socket.once('close', () => this.#responses.delete(socket));
    });
    for (const event of ['request', 'checkExpectation'])
      server.prependListener(event, (request, response) => this.#track(request, response));
  }

  isResponding(socket: Socket): boolean {
    return (this.#responses.get(socket)?.size ?? 0) > 0;
  }

  /** Accepts no new connections, and resolves once every request in progress is answered or the time is up. */
  async stop(gracePeriod: number): Promise<void> {
    this.#isStopping = true;
    const closed = once(this.#server, 'close');
    // The HTTP server's own close would end idle connections at once, with any request on its way.
    NetServer.prototype.close.call(this.#server);
    for (const responses of this.#responses.values()) responses.forEach(markAsLast);
    await Promise.race([closed, setTimeout(LINGER)]);
    for (const socket of this.#responses.keys()) if (!this.isResponding(socket)) socket.destroy();
    await Promise.race([closed, setTimeout(gracePeriod, undefined, { ref: false })]);
    for (const socket of this.#responses.keys()) socket.destroy();
  }

  #track({ socket }: IncomingMessage, response: ServerResponse): void {
    this.#responses.get(socket)?.add(response);
    response.on('close', () => {
      this.#responses.get(socket)?.delete(response);
      if (this.#isStopping && !this.isResponding(socket)) socket.end();
    });
    if (this.#isStopping) markAsLast(response);
  }
}

function markAsLast(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}
