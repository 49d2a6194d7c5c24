import { randomInt } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { defineConfig, defineProject } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

// Every store starts threads, which would remove the types from the same files again.
process.env['NODE_COMPILE_CACHE'] ??= path('node_modules/.cache/compile');

/** Directories whose files take longest. They come first, so that none of them runs alone at the end. */
const LONGEST = [
  'console',
  'program',
  'attacks',
  'openapi',
  'faults',
  'properties',
  'store',
  'http',
  'client',
  'tools',
];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.findIndex((directory) => moduleId.startsWith(path(`test/${directory}/`)));
      return place === -1 ? LONGEST.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

const MINUTE = 60_000;

/** Of all generated inputs, so that the same commit gives the same result. */
const SEED = 1;

/** The configuration is read more than once in a run. */
function seedOf(mode: string): number {
  process.env['STOCKBOOK_TEST_SEED'] ??= String(mode === 'thorough' ? randomInt(2 ** 31) : SEED);
  const seed = Number(process.env['STOCKBOOK_TEST_SEED']);
  if (!Number.isInteger(seed)) throw new Error('STOCKBOOK_TEST_SEED must be a whole number');
  return seed;
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
    // Guards against hangs, not limits on speed: machines may be busy with something else.
    testTimeout: 2 * MINUTE,
    hookTimeout: 2 * MINUTE,
    setupFiles: ['test/support/seed.ts'],
    expect: { poll: { timeout: MINUTE, interval: 10 } },
  },
});

export default defineConfig(({ mode }) => ({
  test: {
    // Once for both projects, which get what these provide.
    globalSetup: ['test/support/seed-setup.ts', 'test/support/postgres-setup.ts', 'test/support/console-setup.ts'],
    provide: {
      isThorough: mode === 'thorough',
      allEngines: mode === 'all' || mode === 'thorough',
      seed: seedOf(mode),
    },
    sequence: { sequencer: LongestFirst },
    // Many tests wait for timeouts and other processes, so four of them keep the two cores of a small machine busy.
    maxWorkers: 4,
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
          testTimeout: 3 * MINUTE,
          hookTimeout: 3 * MINUTE,
        },
      },
    ],
  },
}));
