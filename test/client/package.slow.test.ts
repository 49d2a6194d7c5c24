/** `@stockbook/client` as `npm pack` creates it, in a project on Node 20 that also has Vite. */

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { sqlite } from '../support/engines.ts';
import { addAccount } from '../support/fixture.ts';
import { OWN_PATH, ownMajor, ownNode } from '../support/own-node.ts';
import { sharedFolder, sharedService } from '../support/shared.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const shell = process.platform === 'win32';

const read = (...path: readonly string[]) => readFileSync(join(...path), 'utf8');
const readJson = (...path: readonly string[]) => Object(JSON.parse(read(...path)));

const folder = sharedFolder();
const installed = join(folder.path, 'node_modules', '@stockbook', 'client');
let archive = '';
beforeAll(async () => {
  await promisify(execFile)('npm', ['pack', '--workspace', '@stockbook/client', '--pack-destination', folder.path], {
    cwd: ROOT,
    shell,
  });
  archive = readdirSync(folder.path).find((name) => name.endsWith('.tgz')) ?? '';
});

describe('its scripts', () => {
  const scripts = join(ROOT, 'packages', 'client', 'dist');

  test('are readable', () => {
    const files = readdirSync(scripts).filter((name) => name.endsWith('.js'));
    expect(files.toSorted()).toEqual(['client.js', 'filter.js', 'print.js']);
    for (const file of files) for (const line of read(scripts, file).split('\n')) expect(line.length).toBeLessThan(400);
    expect(read(scripts, 'client.js')).toContain('/** Repeats an attempt that fails for a while');
  });

  test('leave little in the log of a program that does not catch an error', async () => {
    const program = `import { Stockbook } from ${JSON.stringify(pathToFileURL(join(scripts, 'client.js')))};
      await new Stockbook({ url: 'http://127.0.0.1', fetch: () => new Response('<html>'), retries: 0 }).me();`;
    const execute = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
    const { stderr } = await execute.then(
      () => expect.unreachable(),
      (error: unknown) => Object(error),
    );
    expect(stderr).toContain('unexpected_response');
    expect(stderr.length).toBeLessThan(2_000);
  });
});

test('has the version and the license of the service', () => {
  expect(readJson(ROOT, 'packages', 'client', 'package.json').version).toBe(readJson(ROOT, 'package.json').version);
  expect(read(ROOT, 'packages', 'client', 'LICENSE')).toBe(read(ROOT, 'LICENSE'));
});

describe.skipIf(ownMajor !== 20)('in a project with Vite, on Node 20, which the machine has to have', () => {
  const service = sharedService(sqlite);
  /** As a shell does outside of npm scripts. */
  const execute = async (command: string, ...args: readonly string[]) => {
    const env = {
      PATH: OWN_PATH,
      HOME: process.env['HOME'],
      URL: `http://127.0.0.1:${service.port}`,
      KEY: service.key,
    };
    return (await promisify(execFile)(command, args, { cwd: folder.path, env, shell })).stdout;
  };

  beforeAll(async () => {
    const { vite } = readJson(ROOT, 'package.json').devDependencies;
    const scripts = { version: 'node --version', build: 'vite build' };
    writeFileSync(join(folder.path, 'package.json'), JSON.stringify({ type: 'module', scripts }));
    await execute('npm', 'install', '--prefer-offline', '--no-audit', `./${archive}`, `vite@${vite}`);
  });

  test('installs nothing else, and leaves the Node of npm scripts as it was', async () => {
    const { packages } = readJson(folder.path, 'package-lock.json');
    const client = packages['node_modules/@stockbook/client'];
    for (const kind of ['dependencies', 'optionalDependencies', 'peerDependencies', 'hasInstallScript'])
      expect(client).not.toHaveProperty(kind);
    expect(readdirSync(join(folder.path, 'node_modules', '.bin'))).not.toContain('node');
    expect(await execute('npm', 'run', '--silent', 'version')).toMatch(/^v20\./);
  });

  test('reads records, and has the filter language', async () => {
    writeFileSync(
      join(folder.path, 'read.js'),
      `import { Stockbook, StockbookError } from '@stockbook/client';
      import { parseFilter, printFilter } from '@stockbook/client/filter';
      const { partners } = new Stockbook({ url: process.env.URL, key: process.env.KEY });
      const id = await partners.create({ name: 'Node 20' });
      const { data } = await partners.list({ filter: partners.where('id', '=', id), fields: ['name'] });
      const names = [];
      for await (const { name } of partners.stream({ filter: printFilter(parseFilter('name * "Node 20"')) })) names.push(name);
      const failure = await partners.list({ filter: 'nmae=1' }).catch((error) => error);
      console.log(JSON.stringify([process.versions.node, data, names, failure instanceof StockbookError, failure.code]));`,
    );
    const [version, ...results] = JSON.parse(await execute(ownNode ?? '', 'read.js'));
    expect(version).toMatch(/^20\./);
    expect(results).toEqual([[{ name: 'Node 20' }], ['Node 20'], true, 'unknown_field']);
  });

  test('imports what an iterator yields, without having it in memory', async () => {
    writeFileSync(
      join(folder.path, 'import.js'),
      `import { Stockbook } from '@stockbook/client';
      const { products } = new Stockbook({ url: process.env.URL, key: process.env.EDIT_KEY });
      const name = 'x'.repeat(200);
      const used = () => (gc(), process.memoryUsage().external + process.memoryUsage().heapUsed);
      await products.list({ limit: 1 });
      let [start, peak] = [used(), 0];
      async function* rows() {
        for (let id = 1; id <= 40_000; id += 1) {
          if (id % 4_000 === 0) peak = Math.max(peak, used() - start);
          yield { id, name };
        }
      }
      const { created, unchanged } = await products.import(rows(), { gzip: process.argv[2] === 'gzip' });
      console.log(JSON.stringify([created + unchanged, peak]));`,
    );
    const execute = (...args: string[]) => promisify(execFile)(ownNode ?? '', args, { cwd: folder.path, env });
    const env = {
      URL: `http://127.0.0.1:${service.port}`,
      EDIT_KEY: await service.issue(await addAccount(service.store, 'importing'), { scopes: ['read', 'edit'] }),
    };
    for (const coding of ['none', 'gzip']) {
      const [rows, peak] = JSON.parse((await execute('--expose-gc', 'import.js', coding)).stdout);
      expect(rows).toBe(40_000);
      // The rows have 9 MB.
      expect(peak).toBeLessThan(5_000_000);
    }
  });

  test('is bundled by Vite', async () => {
    writeFileSync(join(folder.path, 'index.html'), '<script type="module" src="page.js"></script>');
    writeFileSync(
      join(folder.path, 'page.js'),
      `import { Stockbook } from '@stockbook/client';
      document.title = (await new Stockbook({ url: location.origin }).products.list()).meta.total;`,
    );
    await execute('npm', 'run', 'build');
    const [script = ''] = readdirSync(join(folder.path, 'dist', 'assets'));
    expect(read(folder.path, 'dist', 'assets', script)).toContain('/api/v1/');
  });

  test('contains scripts, types, a README and the license', () => {
    expect(readdirSync(installed).toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  });
});
