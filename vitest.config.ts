import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, defineProject } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { Budgets, readBudgets } from './test/support/budgets.ts';
import { CountsReporter } from './test/support/counts.ts';
import { DEADLINE, LONGEST_WAIT } from './test/support/deadline.ts';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

// Every store starts threads, which would remove the types from the same files again.
process.env['NODE_COMPILE_CACHE'] ??= path('node_modules/.cache/compile');

/** The files that take longest come first, so that none of them runs alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const budgets = readBudgets();
    const secondsOf = ({ moduleId }: TestSpecification) => budgets[relative(path('.'), moduleId)] ?? 0;
    return files.toSorted((a, b) => secondsOf(b) - secondsOf(a));
  }
}

/** Of all generated inputs, so that the same commit gives the same result. */
const SEED = 1;

/** The configuration is read more than once in a run. */
function seedOf(mode: string): number {
  process.env['STOCKBOOK_TEST_SEED'] ??= String(mode === 'thorough' || mode === 'crashes' ? randomInt(2 ** 31) : SEED);
  const seed = Number(process.env['STOCKBOOK_TEST_SEED']);
  if (!Number.isInteger(seed)) throw new Error('STOCKBOOK_TEST_SEED must be a whole number');
  return seed;
}

/** Of the time that test files take. */
function budgets(): readonly Budgets[] {
  const mode = process.env['STOCKBOOK_TEST_BUDGETS'];
  if (mode === undefined) return [];
  if (mode === 'write' || mode === 'check') return [new Budgets(mode)];
  throw new Error('STOCKBOOK_TEST_BUDGETS must be write or check');
}

/** What `npm test` leaves to `npm run test:slow`. */
const SLOW = 'test/**/*.slow.test.ts';

const shared = defineProject({
  // The names under which the console imports them.
  resolve: {
    // The longer one first: an alias also matches what is below it.
    alias: {
      '@stockbook/client/filter': path('src/filter/index.ts'),
      '@stockbook/client': path('src/client/index.ts'),
    },
  },
  test: {
    // Worker threads and child processes of the tests themselves need room on small machines.
    pool: 'forks',
    // A process for all files that a worker runs: to import the service again takes longer than most of them.
    isolate: false,
    testTimeout: DEADLINE,
    hookTimeout: DEADLINE,
    setupFiles: ['test/support/seed.ts', 'test/support/to-respond.ts'],
    expect: { poll: { timeout: LONGEST_WAIT, interval: 10 } },
  },
});

export default defineConfig(({ mode }) => ({
  test: {
    // Once for both projects, which get what these provide.
    globalSetup: ['seed', 'postgres', 'sqlite', 'console'].map((name) => `test/support/${name}-setup.ts`),
    provide: {
      isThorough: mode === 'thorough',
      isExhaustive: mode === 'crashes',
      allEngines: mode === 'all' || mode === 'thorough',
      seed: seedOf(mode),
    },
    reporters: ['default', new CountsReporter(), ...budgets()],
    sequence: { sequencer: LongestFirst },
    // Many tests wait for other processes and for disks, so two of them keep a core busy. All share one PostgreSQL server.
    maxWorkers: Math.min(16, 2 * availableParallelism()),
    projects: [
      {
        ...shared,
        test: {
          ...shared.test,
          name: 'quick',
          include: ['test/**/*.test.ts'],
          exclude: [SLOW],
        },
      },
      {
        ...shared,
        test: {
          ...shared.test,
          name: 'slow',
          include: [SLOW],
        },
      },
    ],
  },
}));
