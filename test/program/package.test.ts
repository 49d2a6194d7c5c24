/** The package as `npm pack` makes it, installed in an empty folder. */

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFolder, run, serve } from '../support/program.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const npm = (args: readonly string[], folder: string) =>
  promisify(execFile)('npm', args, { cwd: folder, shell: process.platform === 'win32' });

const folder = makeFolder();
const program = join(folder.path, 'node_modules', 'stockbook', 'bin', 'stockbook.js');
beforeAll(async () => {
  await npm(['pack', '--pack-destination', folder.path], ROOT);
  const archive = readdirSync(folder.path).find((name) => name.endsWith('.tgz')) ?? '';
  await npm(['init', '--yes'], folder.path);
  // Without the Node that npm would bring: this test has one.
  await npm(['install', '--omit=optional', '--prefer-offline', `./${archive}`], folder.path);
}, 180_000);
afterAll(() => folder.remove());

test('serves, compiled and without development dependencies', async () => {
  const server = await serve(['--demo'], { folder: folder.path, program });
  const [, key, url] = /curl -H "Authorization: Bearer (sbk_\w+)" "(http:[^"]+)"/.exec(server.output().stdout) ?? [];
  const response = await fetch(url ?? '', { headers: { authorization: `Bearer ${key}` } });
  expect(await response.json()).toMatchObject({ meta: { count: 3 } });
  server.child.kill('SIGTERM');
  expect(await server.finished).toMatchObject({ code: 0 });
  const installed = readdirSync(join(folder.path, 'node_modules'));
  for (const name of ['typescript', 'vitest', '@biomejs']) expect(installed).not.toContain(name);
  expect(readdirSync(join(folder.path, 'node_modules', 'stockbook')).toSorted()).toEqual(
    [
      'ARCHITECTURE.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'bin',
      'dist',
      'docs',
      'package.json',
    ].toSorted(),
  );
});

test('knows its version, and offers the filter language', async () => {
  expect(await run(['--version'], { folder: folder.path, program })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
  const script =
    "const { parseFilter, printFilter } = await import('stockbook/filter'); console.log(printFilter(parseFilter('a = 1')))";
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: folder.path,
  });
  expect(stdout).toBe('a=1\n');
});
