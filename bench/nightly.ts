/**
 * Runs the benchmark and fails if a ratio has become a tenth worse: node bench/nightly.ts --earlier DIRECTORY --json FILE [OPTION …]
 *
 * The directory has the results of earlier runs, which may be in directories of their own. The options are those of `npm run bench`. What seems worse is
 * measured once more, and counts only if it is worse again: one night on a busy machine is no regression.
 */

import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type TrendRun, type Worse, worseThan } from './trend.ts';

const BENCH = fileURLToPath(new URL('bench.ts', import.meta.url));

const { earlier: directory, json, options } = readArguments(process.argv.slice(2));
const earlier = globSync('**/*.json', { cwd: directory }).map((file) => readRun(join(directory, file)));

const suspects = worseThan(earlier, bench(json, options));
if (suspects.length > 0) {
  process.stderr.write(`${linesOf('Worse than the median of the last runs, and measured again:', suspects)}`);
  const cases = [...new Set(suspects.map(({ name }) => name))];
  const again = join(mkdtempSync(join(tmpdir(), 'stockbook-bench-')), 'again.json');
  const worse = worseThan(earlier, bench(again, [...options, ...cases]));
  if (worse.length > 0) {
    process.stderr.write(`${linesOf('Worse again:', worse)}`);
    process.exitCode = 1;
  }
}

function bench(file: string, args: readonly string[]): TrendRun {
  const { status } = spawnSync(process.execPath, [BENCH, ...args, '--json', file], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`the benchmark ended with exit code ${status}`);
  return readRun(file);
}

function readRun(file: string): TrendRun {
  return JSON.parse(readFileSync(file, 'utf8'));
}

function linesOf(title: string, worse: readonly Worse[]): string {
  const lines = worse.map(
    ({ engine, name, goal, share }) => `  ${engine} ${name} (${goal}): ${share.toFixed(2)} of what it was\n`,
  );
  return `${title}\n${lines.join('')}`;
}

function readArguments(args: readonly string[]) {
  const rest = [...args];
  const take = (name: string): string => {
    const at = rest.indexOf(name);
    const [, value] = at === -1 ? [] : rest.splice(at, 2);
    if (value === undefined) throw new Error(`${name} is required`);
    return value;
  };
  return { earlier: take('--earlier'), json: take('--json'), options: rest };
}
