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

/** Of the whole name of a test, as `-t` finds it. */
function nameOf({ task }: TestContext): string {
  const names = [task.name];
  for (let suite = task.suite; suite !== undefined; suite = suite.suite) names.unshift(suite.name);
  return names.join(' > ');
}

const modes = { thorough: inject('isThorough'), crashes: inject('isExhaustive'), all: inject('allEngines') };
const mode = Object.entries(modes).find(([, isIt]) => isIt)?.[0];

// With the seed of the gate, the usual command repeats a failure. Slow tests fail where others run them, so their log says how.
beforeEach((context) => {
  context.onTestFailed(() => {
    const file = relative(process.cwd(), context.task.file.filepath);
    if (mode === undefined && !file.endsWith('.slow.test.ts')) return;
    const name = nameOf(context).replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`);
    const flags = `${mode === undefined ? '' : `--mode ${mode} `}${file} -t ${JSON.stringify(name)}`;
    process.stderr.write(`Once more: STOCKBOOK_TEST_SEED=${inject('seed')} npx vitest run ${flags}\n`);
  });
});
