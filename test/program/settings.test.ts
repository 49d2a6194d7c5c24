/** The settings of `stockbook serve` arrive where they act, in the unit that they are given in. */

import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateKey, printKey } from '../../src/access/key.ts';
import { partner } from '../../src/catalog/partner.ts';
import { type SettingName, settingNames } from '../../src/settings/settings.ts';
import { makeKey } from '../support/account-key.ts';
import { openDatabase, postgresql, sqlite, type TestDatabase, type TestEngine } from '../support/engines.ts';
import { load } from '../support/fixture.ts';
import { kill, type Serving, serve } from '../support/program.ts';
import { bodyOf, createPartner, PARTNERS } from '../support/rows.ts';
import { bearer, send, sendUnchecked, type TestReply, type TestRequest } from '../support/service.ts';
import { sharedFolder } from '../support/shared.ts';

const MEBIBYTE = 1024 * 1024;
const HOST = 'acme.stock.test';
const PAGE = 'https://shop.example.com';
const CLIENT = { 'x-forwarded-for': '203.0.113.7' };

/** How many days ago the first and the second partner were removed. */
const REMOVED = [4, 2];

const folder = sharedFolder();

/** A service, and the account acme in it. */
interface Scene {
  readonly server: Serving;
  readonly database: TestDatabase;
  readonly key: string;
}

const ask = ({ server, key }: Scene, { headers, ...request }: TestRequest): Promise<TestReply> =>
  send(server.port, { ...request, headers: { host: HOST, ...bearer(key), ...headers } });
const list = (scene: Scene, headers: TestRequest['headers'] = {}) => ask(scene, { path: PARTNERS, headers });
const limitsOf = async (scene: Scene) => bodyOf(await ask(scene, { path: '/api/v1/me' })).data.limits;

async function metric({ server }: Scene, series: string): Promise<number> {
  const { text } = await sendUnchecked(server.adminPort, { path: '/metrics' });
  const line = text.split('\n').find((each) => each.startsWith(`${series} `));
  return Number(line?.slice(series.length));
}

/** The line of the log about a request. */
async function logged(scene: Scene, id: string, request: TestRequest): Promise<string> {
  await ask(scene, { ...request, headers: { ...CLIENT, 'x-request-id': id } });
  const lines = () => scene.server.output().stderr.split('\n');
  await expect.poll(lines).toContainEqual(expect.stringContaining(id));
  return lines().find((line) => line.includes(id)) ?? '';
}

/** What a connection that is one too many gets. */
async function refusal(scene: Scene, connections: number): Promise<string> {
  let refused = '';
  const open = async () =>
    (await metric(scene, 'stockbook_http_connections{state="idle"}')) +
    (await metric(scene, 'stockbook_http_connections{state="busy"}'));
  // Those of earlier tests.
  await expect.poll(open).toBe(0);
  const sockets = Array.from({ length: connections + 1 }, () => connect(scene.server.port, '127.0.0.1'));
  for (const socket of sockets)
    socket
      .on('error', () => {})
      .setEncoding('utf8')
      .on('data', (text: string) => {
        refused += text;
      });
  await expect.poll(() => refused).toContain('\r\n\r\n{');
  for (const socket of sockets) socket.destroy();
  await expect.poll(open).toBe(0);
  return refused;
}

interface Effect {
  readonly text: string;
  readonly seen: (scene: Scene) => Promise<unknown>;
  readonly is: unknown;
}

const onSqlite = {
  host: { text: '0.0.0.0', seen: async ({ server }) => server.address, is: expect.stringMatching('^http://0.0.0.0:') },
  'admin-host': {
    text: 'localhost',
    seen: async ({ server }) => server.output().stdout,
    is: expect.stringMatching(/ are at http:\/\/localhost:\d+\n/),
  },
  port: { text: '0', seen: async ({ server }) => server.port, is: expect.any(Number) },
  'admin-port': { text: '0', seen: async ({ server }) => server.adminPort, is: expect.any(Number) },
  workers: { text: '1', seen: (scene) => metric(scene, 'stockbook_workers'), is: 1 },
  'cache-size': { text: '3', seen: (scene) => metric(scene, 'stockbook_cache_max_bytes'), is: 3 * MEBIBYTE },
  'index-size': { text: '5', seen: (scene) => metric(scene, 'stockbook_index_max_bytes'), is: 5 * MEBIBYTE },
  'min-free-disk': { text: '1', seen: (scene) => metric(scene, 'stockbook_disk_reserve_bytes'), is: MEBIBYTE },
  'max-records': { text: '70', seen: async (scene) => (await limitsOf(scene)).records, is: 70 },
  'max-storage': { text: '7', seen: async (scene) => (await limitsOf(scene)).bytes, is: 7 * MEBIBYTE },
  'max-import-size': {
    text: '1',
    seen: async (scene) => {
      const importing = (bytes: number): TestRequest => ({
        method: 'POST',
        path: `${PARTNERS}/import?dry_run=true`,
        headers: { 'content-type': 'application/json' },
        body: '[]'.padEnd(bytes),
      });
      const replies = [await ask(scene, importing(MEBIBYTE)), await ask(scene, importing(MEBIBYTE + 1))];
      return replies.map(({ status }) => status);
    },
    is: [200, 413],
  },
  'max-connections': {
    text: '40',
    seen: async (scene) => [await refusal(scene, 40), await metric(scene, 'stockbook_http_connections_refused_total')],
    is: [expect.stringContaining('"code":"too_many_connections"'), 1],
  },
  domain: {
    text: 'stock.test',
    seen: async (scene) => [(await list(scene)).status, (await list(scene, { host: 'acme.localhost' })).status],
    is: [200, 401],
  },
  'cors-origins': {
    text: PAGE,
    seen: async (scene) => (await list(scene, { origin: PAGE })).headers['access-control-allow-origin'],
    is: PAGE,
  },
  'trusted-proxies': {
    text: '127.0.0.1',
    seen: (scene) => logged(scene, 'proxied', { path: '/nowhere' }),
    is: expect.stringContaining(' address=203.0.113.7 '),
  },
  'rate-limit': {
    text: '5000',
    seen: async (scene) => (await list(scene)).headers['ratelimit-policy'],
    is: expect.stringContaining(';q=5000;w=1'),
  },
  'failed-auth-limit': {
    text: '1',
    seen: async (scene) => {
      const attempts = Array.from({ length: 40 }, () => list(scene, { ...CLIENT, ...bearer(printKey(generateKey())) }));
      return new Set((await Promise.all(attempts)).map(({ status }) => status));
    },
    is: new Set([401, 429]),
  },
  'change-retention': {
    text: '3',
    seen: async ({ database }) => {
      const kept = async () => [
        await database.count('tombstone', 'id = 1'),
        await database.count('tombstone', 'id = 2'),
      ];
      await expect.poll(async () => (await kept())[0]).toBe(0);
      return kept();
    },
    is: [0, 1],
  },
  'server-timing': {
    text: 'true',
    seen: async (scene) => (await list(scene)).headers['server-timing'],
    is: expect.stringContaining('dur='),
  },
  'log-format': {
    text: 'text',
    seen: (scene) => logged(scene, 'written', { path: '/nowhere' }),
    is: expect.stringMatching(/^[\d:.]+ info {2}request completed requestId=written method=GET /),
  },
  'log-filters': {
    text: 'true',
    seen: (scene) => logged(scene, 'filtered', { path: `${PARTNERS}?page=x&filter=name*oak` }),
    is: expect.stringContaining(' filter=name*oak'),
  },
  'access-log': {
    text: 'errors',
    seen: async (scene) => {
      await list(scene, { 'x-request-id': 'succeeded' });
      await logged(scene, 'failed', { path: '/nowhere' });
      return scene.server.output().stderr;
    },
    is: expect.not.stringContaining('succeeded'),
  },
} satisfies { readonly [Name in SettingName]?: Effect };

const onPostgres = {
  'pool-size': {
    text: '3',
    seen: (scene) => metric(scene, 'stockbook_pool_max_connections{pool="slow"}'),
    is: 3,
  },
  'statement-timeout': {
    text: '1',
    seen: async (scene) => {
      const release = await scene.database.holdWrites();
      const { json } = await ask(scene, createPartner('A'));
      await release();
      return Object(json).code;
    },
    // Not `store_busy`, for which a write waits five seconds.
    is: 'query_timeout',
  },
  'max-connections-per-address': {
    text: '40',
    seen: (scene) => refusal(scene, 40),
    is: expect.stringContaining('"code":"too_many_connections"'),
  },
  'log-level': {
    text: 'error',
    seen: async ({ server }) => server.output().stderr,
    is: '',
  },
} satisfies { readonly [Name in SettingName]?: Effect };

/** The tests of those whose effect takes more than a request. */
const elsewhere: { readonly [Name in SettingName]?: string } = {
  database: 'test/program/database-address.test.ts',
  demo: 'test/program/serve.test.ts',
  'request-timeout': 'test/program/stop.slow.test.ts',
  'stream-timeout': 'test/http/slow-clients.test.ts',
  'max-delay': 'test/http/overload.test.ts',
};

test('every setting is here', () => {
  const here = [onSqlite, onPostgres, elsewhere].flatMap((effects) => Object.keys(effects));
  expect(settingNames.filter((name) => !here.includes(name))).toEqual([]);
});

test.each(Object.entries(elsewhere))('--%s is tested in %s', (name, file) => {
  expect(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')).toMatch(new RegExp(`'(--)?${name}'`));
});

/** A database with an account that has a partner. Two others were removed. */
async function prepare(engine: TestEngine): Promise<Pick<Scene, 'database' | 'key'>> {
  const database = await engine.makeMigrated();
  const partners = [1, 2, 3].map((id) => ({ id, name: `Partner ${id}` }));
  const key = await makeKey(database.url, { records: [[partner, partners]], scopes: ['read', 'write', 'edit'] });
  const store = await openDatabase(database.url);
  const [acme = { id: 0 }] = await store.accounts.list();
  for (const [index, daysAgo] of REMOVED.entries())
    await load(store, acme, partner, partners.slice(index + 1), {
      replace: true,
      now: new Date(Date.now() - daysAgo * 86_400_000).toISOString(),
    });
  await store.close();
  return { database, key };
}

describe.each([
  { engine: sqlite, name: 'as flags, on SQLite', given: onSqlite, areFlags: true },
  { engine: postgresql, name: 'as variables, on PostgreSQL', given: onPostgres, areFlags: false },
])('$name', ({ engine, given, areFlags }) => {
  let scene: Scene;
  beforeAll(async () => {
    const prepared = await prepare(engine);
    const flags = Object.entries<Effect>(given).flatMap(([name, { text }]) =>
      text === 'true' ? [`--${name}`] : [`--${name}`, text],
    );
    const variables = Object.entries<Effect>(given).map(([name, { text }]) => [
      `STOCKBOOK_${name.toUpperCase().replaceAll('-', '_')}`,
      text,
    ]);
    const server = await serve(['--database', prepared.database.url, ...(areFlags ? flags : [])], {
      folder: folder.path,
      env: areFlags ? {} : Object.fromEntries(variables),
    });
    scene = { ...prepared, server };
  });
  afterAll(async () => {
    await kill(scene.server);
    await scene.database.drop();
  });

  test.each(Object.entries<Effect>(given))('--%s', async (_, { seen, is }) => {
    expect(await seen(scene)).toEqual(is);
  });
});
