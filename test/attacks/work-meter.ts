/**
 * Measures the work that an attack causes, in scans of all products of the bully. Unlike the time it takes, it does not
 * depend on what else is running on the machine.
 */

import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { connectTo } from '../support/postgres-connection.ts';
import { processorTimeOf } from '../support/processor-time.ts';
import { heavyFilter, type Scene, type Target } from './attack.ts';

/** Only Linux tells how much processor time and memory another process has used. */
export const isLinux = existsSync('/proc/self/stat');

export interface WorkMeter {
  /** The scans since the meter was created. */
  scans(): Promise<number>;
}

/** How many filters are measured to know what one of them takes, and how many conditions each of them has. */
const CALIBRATIONS = 5;
export const CONDITIONS = 20;

/** For filters with `CONDITIONS` conditions. */
export async function measureWork(scene: Scene, target: Target, rows: number): Promise<WorkMeter> {
  if (scene.database.url.startsWith('postgres:')) return rowsRead(scene, rows);
  const work = await processorTime(target, () => heavyFilter(CONDITIONS), CALIBRATIONS);
  return { scans: async () => work.requests() };
}

/** PostgreSQL counts the rows that it reads. */
async function rowsRead({ database }: Scene, rows: number): Promise<WorkMeter> {
  const connection = connectTo(database.url);
  onTestFinished(() => connection.end());
  const read = async () => {
    const [row] = await connection.query(`SELECT (idx_tup_fetch + seq_tup_read)::float AS rows FROM pg_stat_user_tables
      WHERE relname = 'product'`);
    return Number(row?.['rows']);
  };
  const before = await read();
  return { scans: async () => ((await read()) - before) / rows };
}

export interface ProcessorTime {
  /** How many requests it would have been enough for since the meter was created. */
  requests(): number;
}

/** The time that the program takes, compared with what it takes for one of N requests of a kind. */
export async function processorTime(
  { pid, bully }: Target,
  nextPath: () => string,
  calibrations: number,
): Promise<ProcessorTime> {
  await bully.get(nextPath());
  const unused = processorTimeOf(pid);
  for (let n = 0; n < calibrations; n += 1) await bully.get(nextPath());
  const before = processorTimeOf(pid);
  const request = (before - unused) / calibrations;
  let latest = before;
  void (async () => {
    while (existsSync(`/proc/${pid}`)) {
      latest = Math.max(latest, processorTimeOf(pid));
      await setTimeout(10);
    }
  })();
  return {
    requests() {
      // What it has used until it exited.
      latest = Math.max(latest, processorTimeOf(pid));
      return (latest - before) / request;
    },
  };
}
