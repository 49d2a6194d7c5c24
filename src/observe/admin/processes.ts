/** The processes of the service, as the admin address sees them: one, or several workers. */

import type { Store } from '../../store/store.ts';
import type { ProcessReport, ProcessReporter } from '../metrics/process-report.ts';

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
  /** Why one of them cannot; undefined if all can. */
  readonly reason?: string | undefined;
  /** Parts of the database that cannot be reached: the requests of some accounts fail, those of others do not. */
  readonly unreachable?: readonly string[];
}

/** Why a service that does not accept connections yet, or that has been told to stop, is not ready. */
export const STARTING = 'the service is starting';
export const STOPPING = 'the service is stopping';

/** This process serves requests by itself. */
export function ownProcess(reporter: ProcessReporter, store: Pick<Store, 'checkReadiness'>): Processes {
  return {
    reports: async () => ({ report: await reporter.report(), unresponsive: 0 }),
    readiness: async () => toReadiness([await processReadiness(reporter, store)], 1),
  };
}

export interface ProcessReadiness {
  /** Why the process cannot serve requests; null if it can. */
  readonly obstacle: string | null;
  /** As in `Readiness`. */
  readonly unreachable: readonly string[];
}

/** `processes` are those that responded. */
export function toReadiness(processes: readonly ProcessReadiness[], workers: number): Readiness {
  const ready = processes.filter(({ obstacle }) => obstacle === null).length;
  const reason = processes.find(({ obstacle }) => obstacle !== null)?.obstacle ?? undefined;
  const unreachable = [...new Set(processes.flatMap((process) => process.unreachable))];
  return { ready, workers, reason, ...(unreachable.length > 0 && { unreachable }) };
}

export async function processReadiness(
  reporter: Pick<ProcessReporter, 'isServing' | 'isStopping'>,
  store: Pick<Store, 'checkReadiness'>,
): Promise<ProcessReadiness> {
  // Load balancers are to use another service.
  if (reporter.isStopping) return { obstacle: STOPPING, unreachable: [] };
  if (!reporter.isServing) return { obstacle: STARTING, unreachable: [] };
  return store.checkReadiness().then(
    (unreachable) => ({ obstacle: null, unreachable }),
    (error: unknown) => ({ obstacle: error instanceof Error ? error.message : String(error), unreachable: [] }),
  );
}
