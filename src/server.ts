/** Stops a service when the process is told to. */

import type { Emit } from './events.ts';
import type { Service } from './http/service.ts';

/** How long requests under way may take to finish once the service stops, in milliseconds. */
const GRACE_PERIOD = 30_000;

/**
 * Resolves once the service has stopped: at the first SIGTERM or SIGINT it takes no new connections and finishes the
 * requests under way. A second signal ends the process at once.
 */
export async function stopped(service: Service, emit: Emit): Promise<void> {
  const signal = await nextSignal();
  emit({ kind: 'stopping', signal });
  void nextSignal().then(() => process.exit(1));
  await service.stop(GRACE_PERIOD);
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
