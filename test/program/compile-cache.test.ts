/** Node executes what is in its compile cache, so the program uses none that somebody else could have written to. */

import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { makeFolder, run } from '../support/program.ts';

let folder: string;
let home: string;
let temporary: string;
let cache: string;
beforeEach(() => {
  const made = makeFolder();
  onTestFinished(made.remove);
  folder = made.path;
  [home, temporary] = [join(folder, 'home'), join(folder, 'tmp')];
  cache = join(home, '.cache/stockbook');
  // As everybody finds it who comes too late.
  for (const path of [home, temporary, join(temporary, 'node-compile-cache')]) mkdirSync(path);
});

async function runProgram(env: Readonly<Record<string, string>> = {}): Promise<void> {
  const { code } = await run(['config'], { folder, env: { HOME: home, TMPDIR: temporary, ...env } });
  expect(code).toBe(0);
  expect(readdirSync(join(temporary, 'node-compile-cache'))).toEqual([]);
}

const isUsed = (path: string) => readdirSync(path).some((name) => name.startsWith('v'));

test('it is in the cache directory of the user, and nobody else can write to it', async () => {
  await runProgram();
  expect(isUsed(cache)).toBe(true);
  expect(statSync(cache).mode & 0o777).toBe(0o700);
});

test.each([
  ['an absolute path', () => join(folder, 'xdg'), () => join(folder, 'xdg/stockbook')],
  ['a relative path, which does not count', () => 'xdg', () => cache],
])('XDG_CACHE_HOME is %s', async (_, value, expected) => {
  await runProgram({ XDG_CACHE_HOME: value() });
  expect(isUsed(expected())).toBe(true);
});

test('NODE_COMPILE_CACHE is the choice of the operator', async () => {
  const chosen = join(folder, 'chosen');
  await runProgram({ NODE_COMPILE_CACHE: chosen });
  expect(isUsed(chosen)).toBe(true);
  expect(readdirSync(home)).toEqual([]);
});

test('without a home there is none', async () => {
  await runProgram({ HOME: join(folder, 'nowhere') });
});

const SOMEBODY = 65_534;

test.for([
  { name: 'others can write to it', prepare: () => chmodSync(cache, 0o777) },
  { name: 'its group can write to it', prepare: () => chmodSync(cache, 0o770) },
  { name: 'others can replace it', prepare: () => chmodSync(join(home, '.cache'), 0o777) },
  { name: 'it belongs to somebody else', prepare: () => chownSync(cache, SOMEBODY, SOMEBODY), isRoot: true },
  { name: 'the home belongs to somebody else', prepare: () => chownSync(home, SOMEBODY, SOMEBODY), isRoot: true },
])('it is not used if $name', async ({ prepare, isRoot = false }, { skip }) => {
  if (isRoot && process.getuid?.() !== 0) skip('only root can give files away');
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  prepare();
  await runProgram();
  expect(readdirSync(cache)).toEqual([]);
});

test('it is not used if it leads to a directory that others can write to', async () => {
  const shared = join(folder, 'shared');
  mkdirSync(shared);
  chmodSync(shared, 0o777);
  mkdirSync(join(home, '.cache'));
  symlinkSync(shared, cache);
  await runProgram();
  expect(readdirSync(shared)).toEqual([]);
});
