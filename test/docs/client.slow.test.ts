/** The programs in the docs of the client: they compile, and print what the docs say, in Node and in a browser. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DEFAULT_RETRIES, DEFAULT_TIMEOUT } from '../../src/client/connection.ts';
import { CreatableResource, Resource } from '../../src/client/index.ts';
import { clientErrorCodes } from '../../src/client/stockbook-error.ts';
import { startBrowser, type TestBrowser } from '../support/browser.ts';
import { bundle } from '../support/bundle.ts';
import { execute, installClient, typeScript } from '../support/package.ts';
import { run, type Serving, serve } from '../support/program.ts';
import { sharedFolder } from '../support/shared.ts';
import { fencesOf, inCode, readDocument, tableBelow } from './markdown.ts';

interface DocumentedProgram {
  readonly name: string;
  readonly code: string;
  /** Undefined if the docs don't say. */
  readonly output: string | undefined;
}

/** The first program of a document creates the client, and the others use it. */
function programsOf(path: string): readonly DocumentedProgram[] {
  const fences = fencesOf(readDocument(path));
  const [setup, ...others] = fences.flatMap(({ kind, content }, index) => {
    const after = fences[index + 1];
    return kind === 'ts' ? [{ content, output: after?.kind === 'text' ? after.content : undefined }] : [];
  });
  if (setup === undefined) throw new Error(`${path} has no program`);
  const all = others.length === 0 ? [{ ...setup, content: '' }] : others;
  return all.map(({ content, output }, index) => ({
    name: `${path.replaceAll(/\W/g, '-')}-${index}.mts`,
    code: `${setup.content}\n${content}\nexport {};\n`,
    output,
  }));
}

const URL_IN_DOCS = 'http://127.0.0.1:8080';

const programs = ['README.md', 'docs/client.md'].flatMap(programsOf);

let server: Serving;
let key: string;
let editKey: string;
let browser: TestBrowser;
const folder = sharedFolder();
const pathOf = (name: string) => join(folder.path, name);
beforeAll(async () => {
  await installClient(folder.path);
  server = await serve(['--demo'], { folder: folder.path });
  key = /sbk_\w+/.exec(server.output().stdout)?.[0] ?? '';
  const scopes = ['--name', 'editor', '--scope', 'read,edit'];
  editKey = (await run(['key', 'add', 'demo', ...scopes], { folder: folder.path })).stdout.trim();
  vi.stubEnv('EDIT_KEY', editKey);
  for (const { name, code } of programs) writeFileSync(pathOf(name), code.replaceAll(URL_IN_DOCS, server.address));
  browser = await startBrowser();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await browser.close();
  server.child.kill('SIGTERM');
  await server.finished;
});

test('docs/client.md lists exactly the errors of the client', () => {
  const codes = tableBelow(readDocument('docs/client.md'), '## Errors').map(([code = '']) => inCode(code));
  expect(codes).toEqual(clientErrorCodes);
});

test('docs/client.md lists exactly the methods', () => {
  const methods = tableBelow(readDocument('docs/client.md'), '# Client').map(([method = '']) => inCode(method));
  const existing = [Resource, CreatableResource].flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype));
  expect(methods.toSorted()).toEqual(existing.filter((name) => name !== 'constructor').toSorted());
});

test('docs/client.md states the defaults', () => {
  const rows = tableBelow(readDocument('docs/client.md'), '## Retries, timeouts and abort signals');
  expect(rows.slice(0, 2).map(([option, value]) => [option, value])).toEqual([
    ['`retries`', String(DEFAULT_RETRIES)],
    ['`timeout`', DEFAULT_TIMEOUT.toLocaleString('en-US')],
  ]);
});

test('they compile', async () => {
  writeFileSync(
    pathOf('tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        ...{ strict: true, noEmit: true, target: 'es2024', module: 'nodenext', skipLibCheck: false },
        ...{ types: ['node'], typeRoots: [join(process.cwd(), 'node_modules/@types')] },
      },
      include: ['*.mts'],
    }),
  );
  await typeScript(['--project', pathOf('tsconfig.json')]);
});

describe('in Node', () => {
  test.each(programs)('$name prints what the docs say', async ({ name, output }) => {
    const { code, stdout, stderr } = await execute(folder.path, name, [], key);
    expect({ code, stderr, stdout: output === undefined ? stdout : stdout.trimEnd() }).toEqual({
      code: 0,
      stderr: '',
      stdout: output ?? expect.stringMatching(/./),
    });
  });
});

describe('in a browser', () => {
  test.each(programs)('$name runs to its end', async ({ name, code, output }) => {
    // A page of the same origin as the service, as far as the browser can tell.
    const page = await browser.open(server.address);
    writeFileSync(pathOf(`browser-${name}`), code.replaceAll(`'${URL_IN_DOCS}'`, 'location.origin'));
    const keys = { 'process.env.KEY': JSON.stringify(key), 'process.env.EDIT_KEY': JSON.stringify(editKey) };
    const script = await bundle(pathOf(`browser-${name}`), keys);
    const lines = await page.run(script);
    expect(lines).not.toEqual([]);
    // A browser prints objects differently.
    if (output !== undefined && !output.includes('{')) expect(lines.join('\n')).toBe(output);
    await page.close();
  });
});
