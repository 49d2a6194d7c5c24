/** The network between the service and PostgreSQL. It fails after so many bytes of what is sent in one direction. */

import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export type Direction = 'to the server' | 'to the service';

/** What happens to the connection that transports the last of the bytes. */
export type LinkFault =
  /** Both sides notice that it is gone. */
  | 'cut'
  /** Nothing more arrives in the direction. */
  | 'stall'
  /** The direction ends, and the other one does not. */
  | 'half-close';

interface Armed {
  readonly fault: LinkFault;
  readonly direction: Direction;
  /** How many bytes are still transported. */
  left: number;
  readonly happened: () => void;
}

export class PostgresLink {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #armed: Armed | undefined;
  #stalled: readonly Socket[] = [];
  readonly #passed = { 'to the server': 0, 'to the service': 0 };

  private constructor(server: Server) {
    this.#server = server;
  }

  /** `url` is that of a database. */
  static async open(url: string): Promise<PostgresLink> {
    const { hostname, port } = new URL(url);
    const server = createServer({ allowHalfOpen: true });
    const link = new PostgresLink(server);
    server.on('connection', (service) => {
      const database = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
      for (const socket of [service, database]) link.#keep(socket.setNoDelay(true));
      link.#transport(service, database, 'to the server');
      link.#transport(database, service, 'to the service');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return link;
  }

  /** A URL of the same database, through the link. */
  through(url: string): string {
    const { port }: AddressInfo = Object(this.#server.address());
    return Object.assign(new URL(url), { host: `127.0.0.1:${port}` }).href;
  }

  /** Resolves when it has happened. */
  fail(fault: LinkFault, direction: Direction, after: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#armed = { fault, direction, left: after, happened: resolve };
    return promise;
  }

  /** What is stalled is cut. Nothing fails from now on. Returns how many bytes have passed since this was called before. */
  recover(): Readonly<Record<Direction, number>> {
    this.#armed = undefined;
    for (const socket of this.#stalled) socket.destroy();
    this.#stalled = [];
    const passed = { ...this.#passed };
    this.#passed['to the server'] = 0;
    this.#passed['to the service'] = 0;
    return passed;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
  }

  #transport(from: Socket, to: Socket, direction: Direction): void {
    let isOver = false;
    from.on('data', (bytes) => {
      if (isOver) return;
      this.#passed[direction] += bytes.length;
      const armed = this.#armed;
      if (armed === undefined || armed.direction !== direction || armed.left > bytes.length) {
        if (armed?.direction === direction) armed.left -= bytes.length;
        to.write(bytes);
        return;
      }
      isOver = true;
      this.#armed = undefined;
      const ended = () => {
        this.#end(armed.fault, from, to);
        armed.happened();
      };
      if (armed.left === 0) ended();
      else to.write(bytes.subarray(0, armed.left), ended);
    });
    from.on('end', () => {
      if (!isOver) to.end();
    });
    from.on('close', () => to.destroy());
  }

  #end(fault: LinkFault, from: Socket, to: Socket): void {
    if (fault === 'stall') this.#stalled = [from, to];
    if (fault === 'half-close') to.end();
    if (fault !== 'cut') return;
    from.destroy();
    to.destroy();
  }
}
