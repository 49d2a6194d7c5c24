/** The package as `npm pack` creates it, installed into an empty folder. */

import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { kill, run, type Serving, serve } from '../support/program.ts';
import { sharedFolder } from '../support/shared.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Runs on the Node that runs the tests. */
const npm = (args: readonly string[], folder: string) =>
  promisify(execFile)('npm', args, {
    cwd: folder,
    shell: process.platform === 'win32',
    env: { ...process.env, PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter) },
  });

/** What `npm sbom` and npm's lock files call a package. */
interface Component {
  readonly name: string;
  readonly version: string;
  readonly properties: readonly { readonly name: string }[];
}

const readJson = (path: string) => Object(JSON.parse(readFileSync(path, 'utf8')));

const folder = sharedFolder();
const installed = join(folder.path, 'node_modules', 'stockbook');
const program = join(installed, 'bin', 'stockbook.js');
let warnings = '';
let server: Serving | undefined;
beforeAll(async () => {
  await npm(['pack', '--pack-destination', folder.path], ROOT);
  const archive = readdirSync(folder.path).find((name) => name.endsWith('.tgz')) ?? '';
  await npm(['init', '--yes'], folder.path);
  const { stderr } = await npm(['install', '--prefer-offline', `./${archive}`], folder.path);
  warnings = stderr;
});
afterAll(() => kill(server));

test('installs without running scripts, and without warnings about the package', () => {
  const { scripts } = readJson(join(installed, 'package.json'));
  // What npm runs, or warns about, when a package is installed from a registry, an archive or a repository.
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare']) expect(scripts).not.toHaveProperty(name);
  expect(warnings).not.toMatch(/stockbook|install-scripts/);
});

test('brings no Node.js, and leaves that of the project in place', async () => {
  expect(readdirSync(join(folder.path, 'node_modules', '.bin'))).not.toContain('node');
  const { packages } = readJson(join(folder.path, 'package-lock.json'));
  expect(Object.keys(packages).filter((path) => /\/node-(linux|win|darwin)/.test(path))).toEqual([]);
  const { stdout } = await npm(['exec', '--call', 'node --print process.execPath'], folder.path);
  expect(stdout.trim()).toBe(process.execPath);
});

test('is a program, and nothing to import', async () => {
  for (const name of ['stockbook', 'stockbook/client', 'stockbook/filter', 'stockbook/dist/version.js']) {
    const script = `import(${JSON.stringify(name)}).catch(({ code }) => console.log(code))`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--eval', script], { cwd: folder.path });
    expect(stdout.trim(), name).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
  }
});

test('contains the program and its documentation, and needs no development dependencies', () => {
  const dependencies = readdirSync(join(folder.path, 'node_modules'));
  for (const name of ['typescript', 'vitest', 'vite', 'react', '@biomejs', '@stockbook'])
    expect(dependencies).not.toContain(name);
  expect(readdirSync(installed).toSorted()).toEqual(
    [
      ...'CHANGELOG.md LICENSE README.md SECURITY.md assets'.split(' '),
      ...'bin dist docs examples ops package.json sbom.json'.split(' '),
    ].toSorted(),
  );
});

test('has documents whose links lead to files of the package', () => {
  const paths = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.md'));
  expect(paths).toEqual(expect.arrayContaining(['README.md', 'SECURITY.md', join('docs', 'limits.md')]));
  const broken = paths.flatMap((path) => {
    const links = readFileSync(join(installed, path), 'utf8').matchAll(/\]\((?!https?:|mailto:|#)([^)\s#]+)/g);
    return Array.from(links, ([, link = '']) => link)
      .filter((link) => !existsSync(join(installed, dirname(path), link)))
      .map((link) => `${path}: ${link}`);
  });
  expect(broken).toEqual([]);
});

test('has a bill of materials with everything that it installs', () => {
  const { bomFormat, metadata, components } = readJson(join(installed, 'sbom.json'));
  const { name, version, dependencies } = readJson(join(installed, 'package.json'));
  expect(bomFormat).toBe('CycloneDX');
  expect(metadata.component).toMatchObject({ name, version });
  expect(components).toEqual(
    expect.arrayContaining(
      Object.entries(dependencies).map(([name, version]) => expect.objectContaining({ name, version })),
    ),
  );
  const { packages } = readJson(join(folder.path, 'package-lock.json'));
  const paths = Object.keys(packages).filter((path) => path !== '' && path !== 'node_modules/stockbook');
  expect(refsOf(components.filter((component: Component) => !isBundled(component)))).toEqual(
    paths.map((path) => `${path.replace(/^.*node_modules\//, '')}@${packages[path].version}`).toSorted(),
  );
});

test('lists there what is bundled in the console and in its assets', () => {
  const { components, dependencies } = readJson(join(installed, 'sbom.json'));
  const all = refsOf(components);
  const licenses = readFileSync(join(installed, 'dist', 'console', 'licenses.md'), 'utf8');
  const inConsole = [...licenses.matchAll(/^## (\S+) - (\S+) /gm)].map(([, name, version]) => `${name}@${version}`);
  expect(inConsole.map((ref) => ref.replace(/@[^@]+$/, ''))).toEqual(
    expect.arrayContaining(['react', 'react-dom', 'react-aria-components', '@tanstack/react-query', 'wouter']),
  );
  expect(all).toEqual(expect.arrayContaining(inConsole));

  const { package: name, version, contents } = readJson(join(installed, 'assets', 'scalar', 'source.json'));
  expect(contents).toContainEqual(expect.stringMatching(/^vue@3\./));
  expect(all).toEqual(expect.arrayContaining([`${name}@${version}`, ...contents]));
  expect(components.filter(isBundled).length).toBeGreaterThan(inConsole.length + contents.length / 2);

  // A bill refers to nothing that it does not list, and lists nothing twice.
  expect(new Set(all).size).toBe(all.length);
  const { version: own } = readJson(join(installed, 'package.json'));
  const refs = new Set([`stockbook@${own}`, ...all]);
  const referred = dependencies.flatMap((one: { readonly ref: string; readonly dependsOn: readonly string[] }) => [
    one.ref,
    ...one.dependsOn,
  ]);
  expect(referred.filter((ref: string) => !refs.has(ref))).toEqual([]);
});

function refsOf(components: readonly Component[]): readonly string[] {
  return components.map(({ name, version }) => `${name}@${version}`).toSorted();
}

function isBundled({ properties }: Component): boolean {
  return properties.some(({ name }) => name === 'cdx:npm:package:bundled');
}

test('has the licenses of what the console contains', () => {
  const licenses = readFileSync(join(installed, 'dist', 'console', 'licenses.md'), 'utf8');
  for (const word of ['react-dom', 'MIT']) expect(licenses).toContain(word);
});

test('serves', async () => {
  server = await serve(['--demo'], { folder: folder.path, program });
  const [, key, url] = /curl -H "Authorization: Bearer (sbk_\w+)" "(http:[^"]+)"/.exec(server.output().stdout) ?? [];
  const response = await fetch(url ?? '', { headers: { authorization: `Bearer ${key}` } });
  expect(await response.json()).toMatchObject({ meta: { count: 3 } });
  for (const path of ['/docs', '/docs/assets/scalar.js', '/docs/assets/docs.css', '/docs/guides', '/docs/guides/api'])
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

test('knows its version', async () => {
  const { version } = readJson(join(installed, 'package.json'));
  expect(await run(['--version'], { folder: folder.path, program })).toMatchObject({ code: 0, stdout: `${version}\n` });
});
