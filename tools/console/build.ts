/** Builds the console into `dist/console/`, complete or not at all: a failed build leaves the previous one in place. */

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Rolldown } from 'vite';
import { sourceHash } from '../source-hash.ts';
import { firstLoad } from './first-load.ts';
import { type CompressedSize, precompress } from './precompress.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const DIST = join(ROOT, 'dist');
const TARGET = join(DIST, 'console');

/** What the console consists of, what it may import, and what builds it. */
export const CONSOLE_SOURCES = [
  'console',
  ...['catalog', 'client', 'filter', 'plan', 'problem', 'request'].map((part) => `src/${part}`),
  'tools/console',
  'tools/source-hash.ts',
  'package-lock.json',
];

/** The file with the hash of what the console was built from. */
const STAMP = 'sources.sha256';

/**
 * The maximum number of bytes that a browser has to load before the console is usable. They are compressed with brotli, which browsers accept with HTTPS
 * and from localhost; everywhere else, they get gzip.
 */
const BUDGET = 200_000;

export class OverBudget extends Error {
  override readonly name = 'OverBudget';
}

/** Whether the console has not been built from its present sources. */
export function isBuildNeeded(): boolean {
  const stamp = join(TARGET, STAMP);
  return !existsSync(stamp) || readFileSync(stamp, 'utf8') !== sourceHash(ROOT, CONSOLE_SOURCES);
}

/** The size of the first load. */
export async function buildConsole(): Promise<CompressedSize> {
  // Anything else, such as the `test` of a test run, would select the development build of React.
  process.env['NODE_ENV'] = 'production';
  const { build } = await import('vite');
  const hash = sourceHash(ROOT, CONSOLE_SOURCES);
  const folder = join(DIST, `.console-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  try {
    const built: Rolldown.RolldownOutput = Object(
      await build({
        configFile: join(ROOT, 'console/vite.config.ts'),
        logLevel: 'warn',
        build: { outDir: folder },
      }),
    );
    const sizes = await precompress(join(folder, 'assets'));
    const first = total(firstLoad(built.output).flatMap((name) => sizes.get(name) ?? []));
    if (first.br > BUDGET)
      throw new OverBudget(
        `The first load of the console has ${kilobytes(first.br)} with brotli; the budget is ${kilobytes(BUDGET)}.`,
      );
    writeFileSync(join(folder, STAMP), hash);
    replace(TARGET, folder);
    return first;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function total(sizes: readonly CompressedSize[]): CompressedSize {
  return { br: sum(sizes.map(({ br }) => br)), gzip: sum(sizes.map(({ gzip }) => gzip)) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/** A directory with contents cannot be replaced in one step. */
function replace(target: string, by: string): void {
  const old = `${by}-old`;
  if (existsSync(target)) renameSync(target, old);
  renameSync(by, target);
  rmSync(old, { recursive: true, force: true });
}

export function kilobytes(bytes: number): string {
  return `${(bytes / 1_000).toFixed(1)} KB`;
}
