/** Connections that everything small shares: statements are sent together, which costs one system call on either side. */

import type { Connection } from './connection.ts';

export class SharedConnections {
  readonly #open: () => Promise<Connection>;
  readonly #connections: (Promise<Connection> | undefined)[];
  #last = 0;

  constructor(count: number, open: () => Promise<Connection>) {
    this.#open = open;
    this.#connections = Array.from({ length: count }, () => undefined);
  }

  /** Round-robin. */
  next(): Promise<Connection> {
    this.#last = (this.#last + 1) % this.#connections.length;
    const index = this.#last;
    const opened = this.#connections[index];
    if (opened !== undefined) return opened;
    const opening = this.#open();
    this.#connections[index] = opening;
    opening.catch(() => {
      this.#connections[index] = undefined;
    });
    return opening;
  }

  /** Pending statements finish first. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#connections.map(async (opened) => (await opened)?.close()));
  }
}
