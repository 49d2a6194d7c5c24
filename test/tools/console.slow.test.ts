/** The build of the console, in a copy of the checkout. */

import { execFile } from 'node:child_process';
import { appendFileSync, cpSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { CONSOLE_SOURCES } from '../../tools/console/build.ts';
import { sourceHash } from '../../tools/source-hash.ts';
import { seededRandom } from '../support/random.ts';
import { sharedFolder } from '../support/shared.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

const folder = sharedFolder();
const at = (...path: readonly string[]) => join(folder.path, ...path);
beforeAll(() => {
  // All tests start with the console that was built from these sources.
  for (const part of [
    'console',
    'dist/console',
    'src',
    'tools',
    'package.json',
    'package-lock.json',
    'tsconfig.base.json',
    'tsconfig.json',
  ])
    cpSync(join(ROOT, part), at(part), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), at('node_modules'));
});

const build = (...flags: readonly string[]) =>
  promisify(execFile)(process.execPath, [at('tools/console/console.ts'), ...flags]).then(
    ({ stderr }) => ({ code: 0, stderr }),
    ({ code, stderr }) => ({ code, stderr }),
  );

/** The contents of the built console, by name. */
const built = () =>
  new Map(
    readdirSync(at('dist/console'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name))]),
  );

test('it is announced in one line, and happens only if the sources have changed', async () => {
  const before = built();
  expect(await build()).toEqual({ code: 0, stderr: '' });
  // Nothing imports it.
  writeFileSync(at('src/filter/new.ts'), 'export {};\n');
  expect(await build()).toEqual({
    code: 0,
    stderr: expect.stringMatching(
      /^Building the console … [\d.]+ s; first load [\d.]+ KB with brotli, [\d.]+ KB with gzip\n$/,
    ),
  });
  expect(await build()).toEqual({ code: 0, stderr: '' });
  // The same sources are built to the same files.
  const [after, stamp] = [built(), 'sources.sha256'];
  expect(after.get(stamp)).not.toEqual(before.get(stamp));
  for (const files of [before, after]) files.delete(stamp);
  expect(after).toEqual(before);
});

test('every script and stylesheet is there in three forms', () => {
  const files = built();
  const names = [...files.keys()].filter((name) => /\.(?:js|css)$/.test(name));
  expect(names).not.toEqual([]);
  for (const name of names) {
    expect(brotliDecompressSync(files.get(`${name}.br`) ?? '').equals(files.get(name) ?? Buffer.of())).toBe(true);
    expect(gunzipSync(files.get(`${name}.gz`) ?? '').equals(files.get(name) ?? Buffer.of())).toBe(true);
    // The development build of React would be slow, and large.
    expect(String(files.get(name))).not.toContain('react-dom-client.development');
  }
});

test('one that is over the budget, or fails, leaves the previous console in place', async () => {
  const before = built();
  const main = readFileSync(at('console/src/main.tsx'), 'utf8');
  appendFileSync(
    at('console/src/main.tsx'),
    `\ndocument.title = '${seededRandom('console').bytes(200_000).toString('base64')}';\n`,
  );
  expect(await build('--optional')).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      /The first load of the console has \d+\.\d KB with brotli; the budget is 200\.0 KB\.\n$/,
    ),
  });
  writeFileSync(at('console/src/main.tsx'), 'this is not a program');
  expect(await build('--optional')).toMatchObject({ code: 1 });
  writeFileSync(at('console/src/main.tsx'), main);
  expect(built()).toEqual(before);
  expect(readdirSync(at('dist'))).toEqual(['console']);
});

test('without the development dependencies, it says so', async () => {
  renameSync(at('node_modules'), at('other'));
  appendFileSync(at('console/src/main.tsx'), '\n// Changed.\n');
  const stderr = expect.stringContaining('not possible without the development dependencies');
  expect(await build()).toEqual({ code: 1, stderr });
  // The service is useful without the console.
  expect(await build('--optional')).toEqual({ code: 0, stderr });
});

test('the hash depends on the names and contents of all sources', () => {
  const hash = sourceHash(folder.path, CONSOLE_SOURCES);
  expect(sourceHash(folder.path, CONSOLE_SOURCES)).toBe(hash);
  const hashes = ['console/index.html', 'src/plan/sort.ts', 'package-lock.json', 'tools/console/build.ts'].map(
    (path) => {
      appendFileSync(at(path), '\n');
      return sourceHash(folder.path, CONSOLE_SOURCES);
    },
  );
  renameSync(at('src/client/lines.ts'), at('src/client/other.ts'));
  expect(new Set([hash, ...hashes, sourceHash(folder.path, CONSOLE_SOURCES)]).size).toBe(6);
});
