/** Stops the process when it is told to, within 30 seconds, whatever is running. */

import cluster from 'node:cluster';
import type { HttpServer } from '../http/server.ts';
import type { Emit } from '../observe/events.ts';
import type { Channel } from './channel.ts';

/** How long requests in progress may take once the server stops, in milliseconds. */
const REQUEST_PERIOD = 25_000;

/** How long everything else may take to stop afterwards, in milliseconds. */
export const CLOSE_PERIOD = 3_000;

/** The time in which a process stops, in milliseconds. Kubernetes, for one, kills it then. */
export const GRACE_PERIOD = 30_000;

/** How long the log has for its last line, in milliseconds. */
const LOG_PERIOD = 100;

/**
 * Resolves once the server has stopped; the rest of the process has to follow. At the first SIGTERM or SIGINT it accepts no
 * new connections and finishes the requests in progress. A second signal ends the process at once. A worker has a channel to
 * the primary process, which tells it when to stop.
 */
export async function runUntilStopped(server: HttpServer, emit: Emit, primary?: Channel): Promise<void> {
  const signal = await (primary === undefined ? stopSignal(() => process.exit(1)) : stopFrom(primary));
  emit({ kind: 'stopping', signal });
  await server.stop(REQUEST_PERIOD);
  forceExitAfter(CLOSE_PERIOD, emit);
}

/** Unless the process has exited by then. `period` is in milliseconds. */
export function forceExitAfter(period: number, emit: Emit): void {
  setTimeout(() => {
    emit({ kind: 'stopped', forced: true });
    // process.exit would wait for threads, and a thread cannot be interrupted while SQLite runs a statement.
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), LOG_PERIOD);
  }, period).unref();
}

/** A second signal within this time, in milliseconds, is an echo of the first: the terminal sends it, and so does npm. */
const ECHO = 200;

/** Resolves at the first signal; any later one, except an echo of it, calls `force`. */
export function stopSignal(force: () => void): Promise<string> {
  return new Promise((resolve) => {
    let stoppedAt: number | undefined;
    // Never removed: without a handler, a signal ends the process.
    const take = (signal: string) => {
      if (stoppedAt === undefined) {
        stoppedAt = performance.now();
        resolve(signal);
      } else if (performance.now() - stoppedAt >= ECHO) {
        force();
      }
    };
    process.on('SIGTERM', take).on('SIGINT', take);
  });
}

/** Also resolves if the primary process is gone. Ctrl-C reaches every process, and is left to the primary. */
function stopFrom(primary: Channel): Promise<string> {
  process.on('SIGINT', () => {});
  // Otherwise Node ends the process at once when the primary is gone.
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    primary.handle('stop', () => {
      resolve('stop');
      return null;
    });
    process.once('disconnect', () => resolve('disconnect'));
  });
}
