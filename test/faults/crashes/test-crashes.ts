/** Tests of a workload: it is recorded once, and then the crashes that its log permits are looked at, all of them or a sample. */

import { copyFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { count } from '../../support/counts.ts';
import { requireFailingDisks } from '../../support/disk-faults.ts';
import { seededRandom, uniqueName } from '../../support/random.ts';
import { CommitChecks } from './commit-checks.ts';
import { CrashCheck, CrashFailure, type CrashOptions } from './crash-check.ts';
import type { Extent } from './losses.ts';
import { checkProgram } from './program-check.ts';
import { makeFastFolder, Recording } from './recording.ts';
import { printLoss } from './repeat.ts';
import { DATABASE } from './state-folder.ts';
import { makeDatabase } from './workloads/make-database.ts';
import type { Workload } from './workloads/workload.ts';

interface Sample {
  /** Of the calls at which crashes are looked at. */
  readonly calls: number;
  readonly extent: Extent;
  /** Of the commits that the service is started with. */
  readonly commits: number;
  /** Of the states that are given to the real program. */
  readonly programs: number;
}

const GATE: Sample = { calls: 0.03, extent: { all: 3, singles: 4, subsets: 2 }, commits: 0.05, programs: 0 };
const ALL: Sample = { calls: 1, extent: { all: 6, singles: 8, subsets: 3 }, commits: 1, programs: 1 / 200 };

/** In milliseconds. */
const TIMEOUT = 3_600_000;

export function testCrashes(workload: Workload): void {
  test(`a crash while ${workload.name}`, { timeout: TIMEOUT }, async (context) => {
    requireFailingDisks(context);
    const folder = makeFastFolder();
    const recording = new Recording(folder.path);
    try {
      await record(workload, recording);
      const sample = inject('isExhaustive') ? ALL : GATE;
      const check = new CrashCheck(recording.folder, join(folder.path, 'check'), {
        ...optionsOf(workload, sample, folder.path),
        staleMemory: recording.sharedMemory,
      });
      try {
        await check.follow(recording.log.readNew());
        await check.end();
      } catch (error) {
        throw error instanceof CrashFailure ? repeatable(error, recording) : error;
      }
      // Nothing that changes files was missed.
      const logged = [...check.disk.state()].map(([name, { bytes }]) => [name, Buffer.from(bytes)] as const);
      expect(new Map(logged)).toEqual(recording.files());
      count(context, 'crash states', workload.name, check.counts);
    } finally {
      await recording.end();
      folder.remove();
    }
  });
}

async function record({ prepare = makeDatabase, run }: Workload, recording: Recording): Promise<void> {
  try {
    const key = await prepare(recording.database);
    recording.begin();
    await run(recording, key);
  } finally {
    await recording.end();
  }
}

function optionsOf(
  { name, share = 1 }: Workload,
  { calls, extent, commits, programs }: Sample,
  folder: string,
): CrashOptions {
  const random = seededRandom(`a crash while ${name}`);
  const checks = new CommitChecks(random, commits);
  return {
    random,
    share: share * calls,
    extent,
    onCommit: (...commit) => checks.check(...commit),
    async onState(state) {
      if (!state.has(DATABASE) || !random.chance(programs)) return false;
      await checkProgram(folder, state);
      return true;
    },
  };
}

/** The log is kept. */
function repeatable({ message, call, loss }: CrashFailure, { log, folder }: Recording): Error {
  const kept = join(tmpdir(), uniqueName('stockbook-crash-'));
  copyFileSync(log.path, kept);
  const command = `npx node test/faults/crashes/repeat.ts ${kept} ${folder} ${call} '${printLoss(loss)}'`;
  return new Error(`${message}\nTo open this state again: ${command}`);
}
