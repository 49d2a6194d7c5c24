/** What goes wrong while clients are at work: a seeded sequence of faults, between which so many calls end. */

import type { Random } from '../../support/random.ts';
import { type Deployment, signal } from './deployment.ts';
import type { Recorder } from './recorder.ts';

interface Setting {
  readonly deployment: Deployment;
  readonly recorder: Recorder;
  readonly clients: number;
  readonly random: Random;
}

interface Fault {
  readonly name: string;
  isPossible?(deployment: Deployment): boolean;
  run(setting: Setting): Promise<void>;
}

/** How many calls end between two faults, at least and at most, and while something is paused. */
const CALLS_BETWEEN = [100, 400] as const;
const CALLS_DURING = [20, 100] as const;

const faults: readonly Fault[] = [
  {
    name: 'a worker is killed',
    run: ({ deployment, random }) => deployment.killWorker(random),
  },
  {
    name: 'a primary process is killed',
    isPossible: hasWorkers,
    run: ({ deployment, random }) => deployment.killPrimary(random),
  },
  {
    name: 'everything is killed',
    run: ({ deployment }) => deployment.killEverything(),
  },
  {
    name: 'everything is restarted',
    run: ({ deployment }) => deployment.stopEverything(),
  },
  {
    name: 'a worker is paused',
    run: (setting) => pause(setting, setting.deployment.worker(setting.random)),
  },
  {
    name: 'a primary process is paused',
    isPossible: hasWorkers,
    run: (setting) => pause(setting, setting.deployment.primary(setting.random)),
  },
  {
    name: 'connections of clients are cut',
    async run({ recorder, clients, random }) {
      for (let cuts = random.between(10, 30); cuts > 0; cuts -= 1) {
        recorder.cut(random.below(clients));
        await recorder.progress(random.below(10));
      }
    },
  },
  {
    name: 'the database is restarted',
    isPossible: ({ database }) => database.restart !== undefined,
    run: async ({ deployment: { database } }) => database.restart?.(),
  },
  {
    name: 'connections to the database are cut',
    isPossible: ({ database }) => database.disconnect !== undefined,
    async run({ deployment: { database }, recorder, random }) {
      for (let cuts = random.between(1, 5); cuts > 0; cuts -= 1) {
        database.disconnect?.();
        await recorder.progress(random.below(20));
      }
    },
  },
];

function hasWorkers({ topology }: Deployment): boolean {
  return topology.workers > 1;
}

async function pause({ recorder, random }: Setting, pid: number): Promise<void> {
  signal(pid, 'SIGSTOP');
  try {
    await recorder.progress(random.between(...CALLS_DURING));
  } finally {
    signal(pid, 'SIGCONT');
  }
}

/** Goes through all faults that are possible, in an order of its own each time, until it is stopped. Returns what happened. */
export async function haunt(setting: Setting, isStopped: () => boolean): Promise<readonly string[]> {
  const { deployment, recorder, random } = setting;
  const possible = faults.filter(({ isPossible }) => isPossible?.(deployment) ?? true);
  const happened: string[] = [];
  let next: Fault[] = [];
  for (;;) {
    await recorder.progress(random.between(...CALLS_BETWEEN));
    if (isStopped()) return happened;
    if (next.length === 0) next = shuffled(possible, random);
    const fault = next.pop();
    if (fault === undefined) return happened;
    happened.push(fault.name);
    await fault.run(setting);
  }
}

function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const places = items.map((item) => ({ item, place: random.next() }));
  return places.toSorted((a, b) => a.place - b.place).map(({ item }) => item);
}
