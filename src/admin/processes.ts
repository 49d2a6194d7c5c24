/** The processes of the service, as the admin address sees them: one, or several workers. */

import type { ProcessReport, ProcessReporter } from '../metrics/process-report.ts';
import type { Store } from '../store/store.ts';

export interface Processes {
  reports(): Promise<Reports>;
  readiness(): Promise<Readiness>;
}

/** What all processes reported, combined. */
export interface Reports {
  readonly report: ProcessReport;
  /** How many did not report in time. */
  readonly unresponsive: number;
}

export interface Readiness {
  /** How many processes can serve requests. */
  readonly ready: number;
  /** How many there are. */
  readonly workers: number;
  /** Why one of them cannot; undefined if all can, or nothing is known about it. */
  readonly reason?: string | undefined;
  /** Parts of the database that cannot be reached: the requests of some accounts fail, those of others do not. */
  readonly unreachable?: readonly string[] | undefined;
}

/** Why a service that has been told to stop is not ready. */
export const STOPPING = 'the service is stopping';

/** This process serves requests by itself. */
export function ownProcess(reporter: ProcessReporter, store: Pick<Store, 'checkReadiness'>): Processes {
  return {
    reports: async () => ({ report: await reporter.report(), unresponsive: 0 }),
    readiness: async () => toReadiness([await obstacle(reporter, store)], 1),
  };
}

/** Why a process cannot serve requests; null if it can. */
export type Obstacle = string | null;

/** `obstacles` are those of the processes that responded. */
export function toReadiness(obstacles: readonly Obstacle[], workers: number): Readiness {
  const ready = obstacles.filter((reason) => reason === null).length;
  return { ready, workers, reason: obstacles.find((reason) => reason !== null) ?? undefined };
}

export async function obstacle(
  reporter: Pick<ProcessReporter, 'isStopping'>,
  store: Pick<Store, 'checkReadiness'>,
): Promise<Obstacle> {
  // Load balancers are to use another service.
  if (reporter.isStopping) return STOPPING;
  return store.checkReadiness().then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
