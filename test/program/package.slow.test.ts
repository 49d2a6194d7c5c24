/** The package as `npm pack` creates it, installed into an empty folder. */

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFolder, run, type Serving, serve } from '../support/program.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Runs on the Node that runs the tests. */
const npm = (args: readonly string[], folder: string) =>
  promisify(execFile)('npm', args, {
    cwd: folder,
    shell: process.platform === 'win32',
    env: { ...process.env, PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) },
  });

const readJson = (path: string) => Object(JSON.parse(readFileSync(path, 'utf8')));

const folder = makeFolder();
const installed = join(folder.path, 'node_modules', 'stockbook');
const program = join(installed, 'bin', 'stockbook.js');
let warnings = '';
let server: Serving | undefined;
beforeAll(async () => {
  await npm(['pack', '--pack-destination', folder.path], ROOT);
  const archive = readdirSync(folder.path).find((name) => name.endsWith('.tgz')) ?? '';
  await npm(['init', '--yes'], folder.path);
  // Without the Node that npm would install: the tests already have one.
  const { stderr } = await npm(['install', '--omit=optional', '--prefer-offline', `./${archive}`], folder.path);
  warnings = stderr;
});
afterAll(async () => {
  server?.child.kill('SIGKILL');
  await server?.finished;
  folder.remove();
});

test('installs without running scripts, and without warnings about the package', () => {
  const { scripts } = readJson(join(installed, 'package.json'));
  // What npm runs, or warns about, when a package is installed from a registry, an archive or a repository.
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) expect(scripts).not.toHaveProperty(name);
  expect(warnings).not.toMatch(/stockbook|install-scripts/);
});

test('contains the program and its documentation, and needs no development dependencies', () => {
  const dependencies = readdirSync(join(folder.path, 'node_modules'));
  for (const name of ['typescript', 'vitest', 'vite', 'react', '@biomejs']) expect(dependencies).not.toContain(name);
  expect(readdirSync(installed).toSorted()).toEqual(
    [
      'ARCHITECTURE.md',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'assets',
      'bin',
      'dist',
      'docs',
      'examples',
      'ops',
      'package.json',
      'sbom.json',
    ].toSorted(),
  );
});

test('has a bill of materials with everything that it installs', () => {
  const { bomFormat, metadata, components } = readJson(join(installed, 'sbom.json'));
  const { name, version, dependencies, optionalDependencies } = readJson(join(installed, 'package.json'));
  expect(bomFormat).toBe('CycloneDX');
  expect(metadata.component).toMatchObject({ name, version });
  expect(components).toEqual(
    expect.arrayContaining(
      Object.entries(dependencies).map(([name, version]) => expect.objectContaining({ name, version })),
    ),
  );
  const { packages } = readJson(join(folder.path, 'package-lock.json'));
  const namesOf = (names: readonly string[]) =>
    [...new Set(names)].filter((one) => !(one in optionalDependencies)).toSorted();
  const paths = Object.keys(packages).filter((path) => path !== '' && path !== 'node_modules/stockbook');
  expect(namesOf(components.map((component: { readonly name: string }) => component.name))).toEqual(
    namesOf(paths.map((path) => path.replace(/^.*node_modules\//, ''))),
  );
});

test('has the licenses of what the console contains', () => {
  const licenses = readFileSync(join(installed, 'dist', 'console', 'licenses.md'), 'utf8');
  for (const word of ['react-dom', 'MIT']) expect(licenses).toContain(word);
});

test('serves', async () => {
  server = await serve(['--demo'], { folder: folder.path, program });
  const [, key, url] = /curl -H "Authorization: Bearer (sbk_\w+)" "(http:[^"]+)"/.exec(server.output().stdout) ?? [];
  const response = await fetch(url ?? '', { headers: { authorization: `Bearer ${key}` } });
  expect(await response.json()).toMatchObject({ meta: { count: 3 } });
  for (const path of [
    '/docs',
    '/docs/assets/scalar.js',
    '/docs/assets/docs.css',
    '/docs/guides/api',
    '/docs/decisions',
  ])
    expect(await fetch(server.address + path), path).toMatchObject({ status: 200 });
  const page = await fetch(`${server.address}/products`, { headers: { accept: 'text/html' } });
  const [, script] = /<script type="module"[^>]* src="(\/console\/assets\/[^"]+)"/.exec(await page.text()) ?? [];
  const asset = await fetch(server.address + script, { headers: { 'accept-encoding': 'br' } });
  expect({ status: asset.status, coding: asset.headers.get('content-encoding') }).toEqual({
    status: 200,
    coding: 'br',
  });
  server.child.kill('SIGTERM');
  expect(await server.finished).toMatchObject({ code: 0 });
});

test('knows its version, and exports the filter language and the client', async () => {
  expect(await run(['--version'], { folder: folder.path, program })).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
  });
  const script = `
    import { Stockbook } from 'stockbook/client';
    import { parseFilter, printFilter } from 'stockbook/filter';
    console.log(printFilter(parseFilter('a = 1')));
    console.log(String(new Stockbook({ url: 'http://localhost' }).products.where('id', '=', 1)));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: folder.path,
  });
  expect(stdout).toBe('a=1\nid=1\n');
});
