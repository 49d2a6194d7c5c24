/**
 * Builds the console, if its sources have changed since it was built: `npm run build`, and before `npm start`.
 *
 * Without the development dependencies, there is nothing to build it with. The service works without it, and says so at `/`.
 */

import { isViteMissing } from '../is-vite-missing.ts';
import { buildConsole, isBuildNeeded, kilobytes, OverBudget } from './build.ts';

async function main(): Promise<number> {
  if (!isBuildNeeded()) return 0;
  process.stderr.write('Building the console … ');
  const started = performance.now();
  try {
    const { br, gzip } = await buildConsole();
    const seconds = ((performance.now() - started) / 1_000).toFixed(1);
    process.stderr.write(`${seconds} s; first load ${kilobytes(br)} with brotli, ${kilobytes(gzip)} with gzip\n`);
    return 0;
  } catch (error) {
    if (error instanceof OverBudget) {
      process.stderr.write(`failed\n${error.message}\n`);
      return 1;
    }
    if (!isViteMissing(error)) throw error;
    process.stderr.write('not possible without the development dependencies: run "npm ci" without --omit=dev\n');
    return process.argv.includes('--optional') ? 0 : 1;
  }
}

process.exitCode = await main();
