/** Limits of the real program: they hold for all of its processes together, and commands change them while it runs. */

import { writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueKey } from '../../src/access/issue-key.ts';
import { generateKey, printKey } from '../../src/access/key.ts';
import { DEFAULT_SCOPES } from '../../src/catalog/scopes.ts';
import { sqlite } from '../support/engines.ts';
import { addAccount, NOW } from '../support/fixture.ts';
import { kill, run, type Serving, serve } from '../support/program.ts';
import { rounds } from '../support/rounds.ts';
import { PRODUCTS } from '../support/rows.ts';
import { bearer, keyId, send } from '../support/service.ts';
import { sharedFolder, sharedStore } from '../support/shared.ts';

const CLOCK = fileURLToPath(new URL('../support/stopped-clock.ts', import.meta.url));
const LIMIT = 5;
const FAILED_BURST = 10;

describe.each([3, 2].slice(0, rounds(1, 2)))('with %i workers', (workers) => {
  const folder = sharedFolder();
  const opened = sharedStore(sqlite);
  let server: Serving;
  /** In milliseconds. */
  const setPassed = (time: number) => writeFileSync(join(folder.path, 'passed'), String(time));
  /** Each has its own limit. */
  let keys: readonly string[];
  beforeAll(async () => {
    const { store, database } = opened;
    const { id: account } = await addAccount(store, 'acme');
    const terms = { account, name: 'test', scopes: DEFAULT_SCOPES, createdAt: NOW, expiresAt: null };
    keys = await Promise.all(Array.from({ length: 4 }, () => issueKey(store.keys, terms)));
    const flags = ['--workers', String(workers), '--rate-limit', String(LIMIT), '--failed-auth-limit', '1'];
    setPassed(0);
    const env = { NODE_OPTIONS: `--import ${CLOCK}`, STOPPED_CLOCK: join(folder.path, 'passed') };
    server = await serve(['--database', database.url, ...flags], { folder: folder.path, env });
  });
  afterAll(() => kill(server));

  /** Each request has a connection of its own unless there is an agent, so that all workers get some of them. */
  const statusOf = async (key = '', agent: Agent | false = false) =>
    (await send(server.port, { path: PRODUCTS, headers: bearer(key) }, agent)).status;
  const countOf = (statuses: readonly number[], status: number) => statuses.filter((other) => other === status).length;

  test('a limit holds for all of them together', async () => {
    const statuses = () => Promise.all(Array.from({ length: 6 * LIMIT }, () => statusOf(keys[0])));
    for (const [passed, accepted] of [
      [0, LIMIT],
      [400, 2],
      [10_000, LIMIT],
    ] as const) {
      setPassed(passed);
      const sent = await statuses();
      expect([countOf(sent, 200), countOf(sent, 429)]).toEqual([accepted, 6 * LIMIT - accepted]);
    }
  });

  test('a client with one connection, and so with one worker, has the whole limit', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const first = await Promise.all(Array.from({ length: LIMIT }, () => statusOf(keys[1], agent)));
    agent.destroy();
    expect(first).toEqual(Array(LIMIT).fill(200));
  });

  test('a primary that does not respond holds up no request', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const [, , , key] = keys;
    expect(await statusOf(key, agent)).toBe(200);
    server.child.kill('SIGSTOP');
    try {
      expect(await statusOf(key, agent)).toBe(200);
    } finally {
      server.child.kill('SIGCONT');
      agent.destroy();
    }
  });

  test('commands change limits while it runs', async () => {
    const [, , key = ''] = keys;
    const flags = ['--database', opened.database.url];
    const command = (...args: string[]) => run([...args, ...flags], { folder: folder.path });
    const burst = () => Promise.all(Array.from({ length: 4 * LIMIT }, () => statusOf(key)));
    await expect.poll(async () => new Set(await burst()).has(429)).toBe(true);
    expect(await command('key', 'limit', key, 'unlimited')).toEqual({
      code: 0,
      stdout: `The limit of the key ${keyId(key)} (test): unlimited.\n`,
      stderr: '',
    });
    expect(new Set(await burst())).toEqual(new Set([200]));
    expect((await command('account', 'limit', 'acme', '2')).stdout).toBe(
      'The limits of the account acme: requests 2/s, records default, storage default.\n',
    );
    expect(await burst()).toContain(429);
    expect((await command('account', 'list')).stdout).toMatch(
      / LIMIT +RECORDS +STORAGE +CURRENCY *\nacme .* 2\/s +default +default +none *\n/,
    );
    expect((await command('key', 'list', 'acme')).stdout).toContain('unlimited');
  });

  test('wrong keys are limited by all of them together', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 3 * FAILED_BURST; n += 1) statuses.push(await statusOf(printKey(generateKey())));
    expect(countOf(statuses, 401)).toBeGreaterThanOrEqual(FAILED_BURST);
    // An attempt that one worker has just refused may not have been counted when another one looks.
    expect(countOf(statuses, 401)).toBeLessThanOrEqual(FAILED_BURST + workers);
    expect(countOf(statuses, 401) + countOf(statuses, 429)).toBe(statuses.length);
  });
});
