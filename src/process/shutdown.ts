/** Stops the process when it is told to, within 30 seconds, whatever is running. */

import cluster from 'node:cluster';
import type { HttpServer } from '../http/server.ts';
import type { Emit } from '../observe/events.ts';
import { type Clock, systemClock } from '../schedule/clock.ts';
import { channelToPrimary } from './channel.ts';
import { hasTerminal } from './has-terminal.ts';

/** How long requests in progress may take once the server stops, in milliseconds. */
const REQUEST_PERIOD = 25_000;

/** How long everything else may take to stop if the requests took all of their time, in milliseconds. */
export const CLOSE_PERIOD = 3_000;

/** How long it may take if they did not, in milliseconds: on a busy machine, more than what is left otherwise. */
export const EARLY_CLOSE_PERIOD = 10_000;

/** The time in which a process stops, in milliseconds. Kubernetes, for one, kills it then. */
export const GRACE_PERIOD = 30_000;

/** How long the log has for its last line, in milliseconds. */
const LOG_PERIOD = 100;

/** Whether the process has been told to stop. It may be told so while it still starts. */
export interface Stop {
  /** Resolves to what told it so: a signal, or the primary process. */
  readonly requested: Promise<string>;
  readonly isRequested: boolean;
}

/**
 * Called before anything else, since a signal without a handler ends the process. The first SIGTERM or SIGINT stops it, and a second one ends it and
 * its workers at once. So does SIGHUP if the terminal was closed; otherwise it is ignored, as programs that rotate logs send it. A worker has
 * a channel to the primary process, which tells it when to stop.
 */
export function listenForStop(): Stop {
  const { promise: requested, resolve } = Promise.withResolvers<string>();
  const stop = { requested, isRequested: false };
  const request = (cause: string) => {
    stop.isRequested = true;
    resolve(cause);
  };
  if (cluster.isWorker) listenToPrimary(request);
  else listenToSignals(request);
  return stop;
}

/** Whatever is running then, even if it is only starting, the process exits in time. Called once. */
export function exitInTime({ requested }: Stop, emit: Emit, clock: Clock = systemClock): void {
  requested.then((signal) => {
    emit({ kind: 'stopping', signal });
    // A process that has workers ends after them.
    const hasWorkers = Object.keys(cluster.workers ?? {}).length > 0;
    forceExitAfter((hasWorkers ? GRACE_PERIOD : REQUEST_PERIOD) + CLOSE_PERIOD, emit, clock);
  });
}

/** Resolves once the server has stopped; the rest of the process has to follow. It accepts no new connections, and finishes the requests in progress. */
export async function runUntilStopped(
  server: Pick<HttpServer, 'stop'>,
  { requested }: Stop,
  emit: Emit,
  clock: Clock = systemClock,
): Promise<void> {
  await requested;
  await server.stop(REQUEST_PERIOD);
  forceExitAfter(EARLY_CLOSE_PERIOD, emit, clock);
}

/** Unless the process has exited by then. `period` is in milliseconds. */
export function forceExitAfter(period: number, emit: Emit, clock: Clock): void {
  clock.after(period, () => {
    emit({ kind: 'stopped', forced: true });
    // process.exit would wait for threads, and a thread cannot be interrupted while SQLite runs a statement.
    clock.after(LOG_PERIOD, () => process.kill(process.pid, 'SIGKILL'));
  });
}

/** A second signal within this time, in milliseconds, is an echo of the first: the terminal sends it, and so does npm. */
const ECHO = 200;

/** A listener that tells the first signal from a later one that is not its echo. */
export function firstOrLater<Signal>(
  onFirst: (signal: Signal) => void,
  onLater: (signal: Signal) => void,
  clock: Clock = systemClock,
) {
  let isFirst = true;
  let isEcho = true;
  return (signal: Signal) => {
    if (!isFirst) {
      if (!isEcho) onLater(signal);
      return;
    }
    isFirst = false;
    // A timer, since signals that have arrived are handled before it, however long the process has had no processor.
    clock.after(ECHO, () => {
      isEcho = false;
    });
    onFirst(signal);
  };
}

function listenToSignals(request: (signal: string) => void): void {
  const take = firstOrLater(request, () => {
    for (const worker of Object.values(cluster.workers ?? {})) worker?.process.kill('SIGKILL');
    process.exit(1);
  });
  // Never removed: without a handler, a signal ends the process.
  process
    .on('SIGTERM', take)
    .on('SIGINT', take)
    .on('SIGHUP', hasTerminal() ? take : ignore);
}

/** Also stops if the primary process is gone. What a terminal sends reaches every process, and is left to the primary. */
function listenToPrimary(request: (cause: string) => void): void {
  process.on('SIGTERM', request).on('SIGINT', ignore).on('SIGHUP', ignore);
  // Otherwise Node ends the process at once when the primary is gone.
  if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
  const gone = () => request('disconnect');
  process.once('disconnect', gone);
  // What Node itself sends there, such as that the process listens, has no other place for its error.
  cluster.worker?.on('error', gone);
  if (!process.connected) gone();
  channelToPrimary().handle('stop', () => {
    request('stop');
    return null;
  });
}

function ignore(): void {}
