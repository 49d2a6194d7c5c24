/** Node executes what is in its compile cache, so the program uses none that somebody else could have written to. */

import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { makeFolder, run } from '../support/program.ts';

// Plain JavaScript, which the compiler knows nothing about.
const { compileCache }: { readonly compileCache: () => string | undefined } = await import(
  new URL('../../bin/compile-cache.js', import.meta.url).href
);

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

afterEach(() => vi.unstubAllEnvs());

/** The program starts with this environment. */
const environment = () => ({ HOME: home, TMPDIR: temporary });

async function runProgram(env: Readonly<Record<string, string>> = {}): Promise<void> {
  const { code } = await run(['config'], { folder, env: { ...environment(), ...env } });
  expect(code).toBe(0);
  expect(readdirSync(join(temporary, 'node-compile-cache'))).toEqual([]);
}

/** The path that the program passes to Node. */
function chosen(env: Readonly<Record<string, string>> = {}): string | undefined {
  for (const [name, value] of Object.entries({ ...environment(), XDG_CACHE_HOME: '', ...env })) vi.stubEnv(name, value);
  return compileCache();
}

const isUsed = (path: string) => readdirSync(path).some((name) => name.startsWith('v'));

test('it is in the cache directory of the user, and nobody else can write to it', async () => {
  await runProgram();
  expect(isUsed(cache)).toBe(true);
  expect(statSync(cache).mode & 0o777).toBe(0o700);
  expect(chosen()).toBe(cache);
});

test.each([
  ['an absolute path', () => join(folder, 'xdg'), () => join(folder, 'xdg/stockbook')],
  ['a relative path, which does not count', () => 'xdg', () => cache],
])('XDG_CACHE_HOME is %s', (_, value, expected) => {
  expect(chosen({ XDG_CACHE_HOME: value() })).toBe(expected());
});

test('NODE_COMPILE_CACHE is the choice of the operator', async () => {
  const path = join(folder, 'chosen');
  await runProgram({ NODE_COMPILE_CACHE: path });
  expect(isUsed(path)).toBe(true);
  expect(readdirSync(home)).toEqual([]);
});

test('without a home there is none', () => {
  expect(chosen({ HOME: join(folder, 'nowhere') })).toBeUndefined();
});

const SOMEBODY = 65_534;

test.for([
  { name: 'others can write to it', prepare: () => chmodSync(cache, 0o777) },
  { name: 'its group can write to it', prepare: () => chmodSync(cache, 0o770) },
  { name: 'others can replace it', prepare: () => chmodSync(join(home, '.cache'), 0o777) },
  { name: 'it belongs to somebody else', prepare: () => chownSync(cache, SOMEBODY, SOMEBODY), isRoot: true },
  { name: 'the home belongs to somebody else', prepare: () => chownSync(home, SOMEBODY, SOMEBODY), isRoot: true },
])('it is not used if $name', ({ prepare, isRoot = false }, { skip }) => {
  if (isRoot && process.getuid?.() !== 0) skip('only root can give files away');
  mkdirSync(cache, { recursive: true, mode: 0o700 });
  prepare();
  expect(chosen()).toBeUndefined();
});

test('it is not used if it leads to a directory that others can write to, and no other takes its place', async () => {
  const shared = join(folder, 'shared');
  mkdirSync(shared);
  chmodSync(shared, 0o777);
  mkdirSync(join(home, '.cache'));
  symlinkSync(shared, cache);
  expect(chosen()).toBeUndefined();
  await runProgram();
  expect(readdirSync(shared)).toEqual([]);
});
