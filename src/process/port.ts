/**
 * The port that clients connect to. An event loop accepts one connection from a socket in each turn, so that with a single socket, an account that keeps the loop busy
 * makes everybody wait who connects. Every process listens with several sockets of its own on the port, among which the kernel distributes connections
 * ([decision 63](../../docs/decisions/0063-accepting-connections.md)).
 */

import { once } from 'node:events';
import { createServer } from 'node:net';

/** How many sockets a process listens with. Where the kernel does not distribute connections among them, there is one, which all workers share. */
export const LISTENERS = process.platform === 'linux' ? 32 : 1;

/** Resolves to the port, one that is free if it is 0. Rejects if another program has it: those that share a port do not notice each other. */
export async function reservePort(host: string, port: number): Promise<number> {
  const server = createServer().listen({ host, port, exclusive: true });
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : port;
}
