/** What the README says to run, in a clean clone. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { fencesOf, readDocument } from '../docs/markdown.ts';
import { cloneInto, copyModules, plainEnvironment, shellIn } from '../support/checkout.ts';
import { LONGEST_WAIT } from '../support/deadline.ts';
import { sharedFolder } from '../support/shared.ts';

const README = readDocument('README.md');
const fences = fencesOf(README);
const [install, curl] = fences.filter(({ kind }) => kind === 'sh');
const [sample] = fences.filter(({ kind }) => kind === 'ts');
const outputs = fences.filter(({ kind }) => kind === 'json' || kind === 'text');

/** Nothing else of the README says where the service is. */
const DOCUMENTED = 'http://127.0.0.1:8080';

const folder = sharedFolder();
const clone = join(folder.path, 'stockbook');
let server: ChildProcess | undefined;
let address = '';
let key = '';

beforeAll(async () => {
  cloneInto(clone);
  expect(install?.content).toBe('npm ci && npm start');
  copyModules(clone);
  const started = spawn('npm', ['start', '--', '--port', '0', '--admin-port', '0', '--workers', '1'], {
    cwd: clone,
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  });
  server = started;
  let output = '';
  started.stdout.setEncoding('utf8');
  started.stdout.on('data', (text: string) => {
    output += text;
  });
  const announced = /is listening on (http:\S+)\n[\s\S]*Bearer (sbk_\w+)/;
  await vi.waitFor(() => expect(output).toMatch(announced), { timeout: LONGEST_WAIT, interval: 50 });
  [, address = '', key = ''] = announced.exec(output) ?? [];
});
afterAll(async () => {
  if (server?.pid === undefined || server.exitCode !== null) return;
  const closed = once(server, 'close');
  // npm, the shell that it starts, and the service.
  process.kill(-server.pid, 'SIGTERM');
  await closed;
});

const inClone = (command: string) => shellIn(clone, command.replaceAll(DOCUMENTED, address), { KEY: key });

test('the request returns what it says', () => {
  expect(JSON.parse(inClone(`${curl?.content} --silent`))).toEqual(JSON.parse(outputs[0]?.content ?? ''));
});

test('the program prints what it says', () => {
  const [, name = '', command = ''] = /Saved in the checkout as `(\S+)`, `(.+)` prints:/.exec(README.text) ?? [];
  writeFileSync(join(clone, name), sample?.content.replaceAll(DOCUMENTED, address) ?? '');
  expect(inClone(command).trim()).toBe(outputs[1]?.content.trim());
});

test('neither changes what is in the repository', () => {
  expect(inClone('git status --porcelain --untracked-files=all')).not.toMatch(/dist|node_modules|data\//);
});
