/** Sends jobs to the load generators, which are processes of their own. */

import type { LoadStats } from './cases.ts';
import type { LanesJob, LoadJob, LoadResult } from './load.ts';
import { nextMessage, type Running } from './processes.ts';

export async function load(generator: Running, job: LoadJob): Promise<LoadStats> {
  const result = await run(generator, job);
  if (!('stats' in result)) throw new Error(`${job.name}: the load has no statistics`);
  return result.stats;
}

/** The statistics of each lane by its name. */
export async function loadLanes(generator: Running, job: LanesJob): Promise<Readonly<Record<string, LoadStats>>> {
  const result = await run(generator, job);
  if (!('lanes' in result)) throw new Error(`${job.name}: the load has no lanes`);
  return result.lanes;
}

async function run({ child }: Running, job: LoadJob | LanesJob): Promise<LoadResult> {
  const finished = nextMessage(child, isLoadResult);
  child.send(job);
  const result = await finished;
  if ('error' in result) throw new Error(result.error);
  return result;
}

function isLoadResult(received: unknown): received is LoadResult {
  if (typeof received !== 'object' || received === null) return false;
  return 'stats' in received || 'lanes' in received || 'error' in received;
}
