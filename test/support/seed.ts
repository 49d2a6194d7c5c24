/**
 * The seed that all generated inputs come from. The gate has the one in `vitest.config.ts`, so that the same commit gives the same result;
 * `npm run test:thorough` draws another. `STOCKBOOK_TEST_SEED` sets it.
 */

import { relative } from 'node:path';
import fc from 'fast-check';
import { beforeEach, inject, type TestContext } from 'vitest';

declare module 'vitest' {
  interface ProvidedContext {
    readonly seed: number;
  }
}

fc.configureGlobal({ seed: inject('seed') });

/** Of the whole name of a test, which describes it within its file. */
function nameOf({ task }: TestContext): string {
  const names = [task.name];
  for (let suite = task.suite; suite !== undefined; suite = suite.suite) names.unshift(suite.name);
  return names.join(' ');
}

// With the seed of the gate, the usual command repeats a failure.
if (inject('isThorough')) {
  beforeEach((context) => {
    context.onTestFailed(() => {
      const file = relative(process.cwd(), context.task.file.filepath);
      const name = nameOf(context).replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
      process.stderr.write(
        `Once more: STOCKBOOK_TEST_SEED=${inject('seed')} npm run test:thorough -- ${file} -t ${JSON.stringify(name)}\n`,
      );
    });
  });
}
