import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url));

// Every store starts threads, which would remove the types from the same files again.
process.env['NODE_COMPILE_CACHE'] ??= path('node_modules/.cache/compile');

/** Directories whose files take longest. They come first, so that none of them runs alone at the end. */
const SLOW = ['program', 'attacks', 'properties', 'tools', 'console', 'store'];

class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = SLOW.findIndex((directory) => moduleId.startsWith(path(`test/${directory}/`)));
      return place === -1 ? SLOW.length : place;
    };
    return (await super.sort(files)).toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

export default defineConfig(({ mode }) => ({
  // The names under which the console imports them.
  resolve: {
    // The longer one first: an alias also matches what is below it.
    alias: {
      '@stockbook/client/filter': path('src/filter/index.ts'),
      '@stockbook/client': path('src/client/index.ts'),
    },
  },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/postgres-setup.ts', 'test/support/console-setup.ts'],
    // Worker threads and child processes of the tests themselves need room on small machines.
    pool: 'forks',
    sequence: { sequencer: SlowFirst },
    // Many tests wait for timeouts and other processes, so four of them keep the two cores of a small machine busy.
    maxWorkers: 4,
    // Guards against hangs, not limits on speed: tests wait for conditions, and machines may be busy with something else.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 120_000, interval: 10 } },
    provide: { isThorough: mode === 'thorough' },
  },
}));
