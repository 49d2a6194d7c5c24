/** Which versions of Node the program runs on, and what it says on others. */

import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { ownMajor, ownNode } from '../support/own-node.ts';
import { makeFolder, PROGRAM } from '../support/program.ts';

// Plain JavaScript, which the compiler knows nothing about.
const {
  supportsNode,
  supportedVersions,
}: { readonly supportsNode: (version: string) => boolean; readonly supportedVersions: string } = await import(
  new URL('../../bin/supports-node.js', import.meta.url).href
);

const readJson = (path: string) => Object(JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')));

test('npm knows which, and so does whoever reads the README', () => {
  expect(readJson('../../package.json').engines).toEqual({ node: '^24.16 || >=26.1' });
  expect(supportedVersions).toBe('24.16 or later, or 26.1 or later');
  expect(readFileSync(new URL('../../README.md', import.meta.url), 'utf8')).toContain(`Node.js ${supportedVersions}`);
});

test.each([
  ['20.20.2', false],
  ['24.15.0', false],
  ['24.16.0', true],
  ['24.21.0', true],
  // They read some numbers as others.
  ['25.9.0', false],
  ['26.0.0', false],
  ['26.1.0', true],
  ['26.10.0', true],
  ['28.0.0', true],
])('on Node %s: %s', (version, isSupported) => {
  expect(supportsNode(version)).toBe(isSupported);
});

test('the tests run on the Node that the workspace provides, or on one that the package supports', () => {
  expect(supportsNode(process.versions.node)).toBe(true);
  const versions = Object.values(readJson('../../packages/node/package.json').optionalDependencies);
  expect(new Set(versions).size).toBe(1);
  expect(supportsNode(String(versions[0]))).toBe(true);
});

test.skipIf(ownNode === undefined || ownMajor === undefined || ownMajor >= 24)(
  'an older Node says what is needed; this needs one on the machine',
  () => {
    const run = (program: string) => spawnSync(ownNode ?? '', [program, 'serve'], { encoding: 'utf8' });
    const needed = /^stockbook: this is Node \d+\.\d+\.\d+; Stockbook needs Node 24\.16 or later, or 26\.1 or later\./;
    const inCheckout = run(PROGRAM);
    expect(inCheckout).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(needed) });
    expect(inCheckout.stderr).toContain('npx stockbook');

    const folder = makeFolder();
    onTestFinished(folder.remove);
    cpSync(fileURLToPath(new URL('../../bin', import.meta.url)), join(folder.path, 'bin'), { recursive: true });
    cpSync(fileURLToPath(new URL('../../package.json', import.meta.url)), join(folder.path, 'package.json'));
    const installed = run(join(folder.path, 'bin', 'stockbook.js'));
    expect(installed).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(needed) });
    expect(installed.stderr).not.toContain('npx');
  },
);
