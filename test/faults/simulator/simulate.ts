/** Simulated days of one world after another, each with choices of its own. */

import { relative } from 'node:path';
import { inject, test } from 'vitest';
import { type Random, seededRandom } from '../../support/random.ts';
import { rounds } from '../../support/rounds.ts';
import { MINUTE } from './time.ts';

/** A world, with a connector in it. */
export interface Simulation {
  /** Throws if something is not as it has to be when people have stopped working, and the network is well. */
  run(days: number): Promise<Simulated>;
  close(): Promise<void>;
}

export interface Simulated {
  readonly days: number;
  /** How often the connector was started. */
  readonly starts: number;
  /** How many requests had which fault. */
  readonly faults: ReadonlyMap<string, number>;
}

/** How long a test may take, in milliseconds. */
const TIMEOUT = 20 * MINUTE;

/** A test for each world. There are more of them in the long run, which prints what was simulated. */
export function simulate(
  world: string,
  open: (random: Random) => Promise<Simulation>,
  { days, worlds }: { readonly days: number; readonly worlds: number },
): void {
  test.for(Array.from({ length: rounds(1, worlds) }, (_, n) => `${world} ${n + 1}`))(
    '%s',
    { timeout: TIMEOUT },
    async (name, { task }) => {
      const simulation = await open(seededRandom(name));
      try {
        const began = performance.now();
        const simulated = await simulation.run(days);
        if (inject('isThorough') || inject('isExhaustive'))
          report(relative(process.cwd(), task.file.filepath), simulated, performance.now() - began);
      } finally {
        await simulation.close();
      }
    },
  );
}

function report(file: string, { days, starts, faults }: Simulated, milliseconds: number): void {
  const counts = [...faults].map(([fault, count]) => `${fault} ${count}`).join(', ');
  process.stderr.write(
    `${file}: ${days.toFixed(1)} days in ${(milliseconds / 1_000).toFixed(1)} s, ${starts} starts, requests by fault: ${counts}\n`,
  );
}
