/** Listens, and stops when it is told to. */

import type { FastifyInstance } from 'fastify';
import type { Emit } from './events.ts';

/** How long requests under way may take to finish once the service stops, in milliseconds. */
const GRACE_PERIOD = 30_000;

/** Resolves with the address once connections are taken. */
export async function listen(
  service: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<string> {
  await service.listen({ host, port });
  const address = service.server.address();
  const taken = typeof address === 'object' && address !== null ? address.port : port;
  return `http://${host.includes(':') ? `[${host}]` : host}:${taken}`;
}

/**
 * Resolves once the service has stopped: at the first SIGTERM or SIGINT it takes no new connections and finishes the
 * requests under way. A second signal ends the process at once.
 */
export async function stopped(service: FastifyInstance, emit: Emit): Promise<void> {
  const signal = await nextSignal();
  emit({ kind: 'stopping', signal });
  void nextSignal().then(() => process.exit(1));
  const patience = setTimeout(() => service.server.closeAllConnections(), GRACE_PERIOD);
  await service.close();
  clearTimeout(patience);
  emit({ kind: 'stopped' });
}

function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    const take = (signal: string) => {
      process.off('SIGTERM', take).off('SIGINT', take);
      resolve(signal);
    };
    process.on('SIGTERM', take).on('SIGINT', take);
  });
}
