/** The open connections of a server with the answers under way on them, so that it can stop without breaking any off. */

import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** How long a connection without a request stays open once the server stops, in milliseconds: a request may be on its way. */
const FAREWELL = 500;

export class Connections {
  readonly #server: Server;
  readonly #answers = new Map<Socket, Set<ServerResponse>>();
  #isStopping = false;

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket) => {
      this.#answers.set(socket, new Set());
      socket.once('close', () => this.#answers.delete(socket));
    });
    server.prependListener('request', (request, response) => this.#track(request, response));
  }

  isAnswering(socket: Socket): boolean {
    return (this.#answers.get(socket)?.size ?? 0) > 0;
  }

  /** Takes no new connections, and resolves once every request under way is answered, or the time is over. */
  async stop(gracePeriod: number): Promise<void> {
    this.#isStopping = true;
    const closed = once(this.#server, 'close');
    // The HTTP server's own close would end idle connections at once, and a request on its way with them.
    NetServer.prototype.close.call(this.#server);
    for (const answers of this.#answers.values()) answers.forEach(markAsLast);
    await Promise.race([closed, setTimeout(FAREWELL)]);
    for (const socket of this.#answers.keys()) if (!this.isAnswering(socket)) socket.destroy();
    await Promise.race([closed, setTimeout(gracePeriod, undefined, { ref: false })]);
    for (const socket of this.#answers.keys()) socket.destroy();
  }

  #track({ socket }: IncomingMessage, response: ServerResponse): void {
    this.#answers.get(socket)?.add(response);
    response.on('close', () => {
      this.#answers.get(socket)?.delete(response);
      if (this.#isStopping && !this.isAnswering(socket)) socket.end();
    });
    if (this.#isStopping) markAsLast(response);
  }
}

function markAsLast(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}
