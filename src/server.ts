/** Stops a service when the process is told to. */

import cluster from 'node:cluster';
import type { Emit } from './events.ts';
import type { Service } from './http/service.ts';

/** How long requests under way may take to finish once the service stops, in milliseconds. */
const GRACE_PERIOD = 30_000;

/** What the process that leads others tells them, so that they stop. */
export const STOP = 'stop';

/**
 * Resolves once the service has stopped: at the first SIGTERM or SIGINT it takes no new connections and finishes the
 * requests under way. A second signal ends the process at once.
 */
export async function stopped(service: Service, emit: Emit): Promise<void> {
  const signal = await (cluster.isWorker ? told() : nextSignal());
  emit({ kind: 'stopping', signal });
  if (!cluster.isWorker) void secondSignal().then(() => process.exit(1));
  await service.stop(GRACE_PERIOD);
  emit({ kind: 'stopped' });
}

/** A second signal within this time, in milliseconds, is the first told twice: by the terminal, and by npm or an older Node. */
const ECHO = 200;

export function secondSignal(): Promise<string> {
  return nextSignal(ECHO);
}

/** What comes within so many milliseconds from now on is passed over. */
export function nextSignal(pause = 0): Promise<string> {
  const since = performance.now();
  return new Promise((resolve) => {
    const take = (signal: string) => {
      if (performance.now() - since < pause) return;
      process.off('SIGTERM', take).off('SIGINT', take);
      resolve(signal);
    };
    process.on('SIGTERM', take).on('SIGINT', take);
  });
}

/** By the process that leads this one, or by its end. Ctrl-C reaches all of them, and is left to the one that leads. */
function told(): Promise<string> {
  process.on('SIGINT', () => {});
  // Otherwise Node ends the process at once where the one that leads it is gone.
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('message', () => resolve(STOP));
    process.once('disconnect', () => resolve('disconnect'));
  });
}
