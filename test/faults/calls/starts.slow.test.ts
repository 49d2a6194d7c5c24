/** Calls that a service makes to its disk while it starts fail: it says so and ends, or it serves, and the next start succeeds. */

import { expect, inject, test } from 'vitest';
import { count } from '../../support/counts.ts';
import { requireFailingDisks } from '../../support/disk-faults.ts';
import { kill, type Serving } from '../../support/program.ts';
import { type Random, seededRandom } from '../../support/random.ts';
import { makeFastFolder } from '../crashes/recording.ts';
import { makeDatabase } from '../crashes/workloads/make-database.ts';
import { upgrades } from '../crashes/workloads/upgrades.ts';
import { times } from '../crashes/workloads/workload.ts';
import { CallFailures } from './call-failures.ts';
import { type Fault, FaultCounts, faultsOfSlowCalls, inCase } from './faults.ts';

const DATABASES = [
  { name: 'on a new file', prepare: () => Promise.resolve('') },
  { name: 'on a database that no service has used', prepare: makeDatabase },
  { name: 'on a database of an earlier version', prepare: upgrades.prepare ?? makeDatabase },
] as const;

/** How many calls fail in each way, chosen at random. */
const SAMPLE = { few: 1, many: 8 };

/** In milliseconds. */
const TIMEOUT = 3_600_000;

test.for(DATABASES)('$name', { timeout: TIMEOUT }, async ({ name, prepare }, context) => {
  requireFailingDisks(context);
  const random = seededRandom(`failing calls of a start ${name}`);
  const counts = new FaultCounts();
  let states = 0;
  const start = async (fault: Fault, n: number) => {
    const started = await inCase(fault, n, startFailing(prepare, fault, n, random));
    counts.add(fault, started.failed);
    states += started.states;
  };
  const calls = await countCalls(prepare, random);
  for (const fault of faultsOfSlowCalls(random))
    for (const n of random.sample(
      times(calls, (call) => call),
      inject('isExhaustive') ? SAMPLE.many : SAMPLE.few,
    ))
      await start(fault, n);
  count(context, 'failing calls of starts', name, { ...counts.counts, states });
});

type Prepare = (path: string) => Promise<string>;

async function countCalls(prepare: Prepare, random: Random): Promise<number> {
  return withFailures(prepare, random, (failures) => failures.count(() => failures.recording.serve()));
}

function startFailing(prepare: Prepare, fault: Fault, n: number, random: Random) {
  return withFailures(prepare, random, async (failures) => {
    const { recording } = failures;
    let server: Serving | undefined;
    const failed = await failures.during(fault, n, async () => {
      server = await recording.serve().catch(expectMessage);
    });
    await failures.crash();
    await kill(server);
    await failures.crash();
    await recording.serve();
    await failures.crash();
    await failures.end();
    return { failed, states: failures.states };
  });
}

async function withFailures<Result>(
  prepare: Prepare,
  random: Random,
  body: (failures: CallFailures) => Promise<Result>,
): Promise<Result> {
  const folder = makeFastFolder();
  const failures = new CallFailures(folder.path, random);
  try {
    await prepare(failures.recording.database);
    failures.recording.begin();
    return await body(failures);
  } finally {
    await failures.close();
    folder.remove();
  }
}

/** It has ended, and its message is not for developers. */
function expectMessage(error: unknown): undefined {
  expect(String(error)).toMatch(/"code":1,.*"stderr":"stockbook: /);
  expect(String(error)).not.toMatch(/\\n {4}at /);
}
