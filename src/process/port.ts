/**
 * The port that clients connect to. An event loop accepts one connection from a socket in each turn, so that with a single socket, an account that keeps the loop busy
 * makes everybody wait who connects. Every process listens with several sockets of its own on the port, among which the kernel distributes connections
 * ([decision 63](../../docs/decisions/0063-accepting-connections.md)).
 */

import { once } from 'node:events';
import { createServer } from 'node:net';
import type { HttpServer, ListenAddress } from '../http/server.ts';

/** How many sockets a process listens with. Where the kernel does not distribute connections among them, there is one, which all workers share. */
export const LISTENERS = process.platform === 'linux' ? 32 : 1;

/** Rejects if nobody can listen there. Port 0 is always free: the kernel chooses one that no other socket has. */
export async function checkAddress({ host, port }: ListenAddress): Promise<void> {
  const server = createServer().listen({ host, port, exclusive: true });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}

/** Resolves to the port once connections are accepted. `joined` is the one on which other processes of the service listen already. */
export async function listen(server: HttpServer, address: ListenAddress, joined: number | null): Promise<number> {
  // Of several workers, each one that asks for this address gets the same socket from the primary process, for port 0 as well.
  if (LISTENERS === 1) return server.listen(address);
  // Sockets that share a port do not notice each other, so other programs are noticed here.
  if (joined === null) await checkAddress(address);
  return server.listen({ ...address, port: joined ?? address.port, listeners: LISTENERS });
}
