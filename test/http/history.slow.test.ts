/**
 * Entity tags and cursors on the history of a database. If writes are lost, because a backup was restored or a standby took over, other
 * writes may get the same ids and revisions. Their entity tags must differ, and cursors
 * must expire, so that no client keeps what was lost.
 */

import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { describe, expect, inject, test } from 'vitest';
import { issueKey } from '../../src/access/issue-key.ts';
import { product } from '../../src/catalog/product.ts';
import { DEFAULT_SCOPES } from '../../src/catalog/scopes.ts';
import { CacheBudget } from '../../src/store/state/cache.ts';
import { engines, evaluate, onPostgres, openDatabase, type TestEngine } from '../support/engines.ts';
import { addAccount, load, NOW } from '../support/fixture.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { PARTNERS, PRODUCTS } from '../support/rows.ts';
import { bearer, readiness, send, serveStore, type TestReply, type TestServer } from '../support/service.ts';

/** A database that can lose writes. */
interface Place {
  readonly url: string;
  /** Makes a copy of the database. */
  save(): Promise<void>;
  /** Returns to the copy: everything written since is lost. */
  lose(): Promise<void>;
  remove(): Promise<void>;
}

interface Incident {
  readonly name: string;
  /** Whether the service keeps running. Otherwise it is stopped while the copy is made and while the writes are lost. */
  readonly isLive: boolean;
  /** It cannot be done on a cluster. */
  readonly isOnOneServer?: true;
  prepare(): Promise<Place>;
}

const engine = (name: TestEngine['name']): TestEngine => {
  const found = engines.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`${name} is missing`);
  return found;
};

async function sqlitePlace(
  save: (path: string) => Promise<void>,
  lose: (path: string) => Promise<void>,
): Promise<Place> {
  const { url, drop } = await engine('SQLite').makeDatabase();
  return { url, save: () => save(url), lose: () => lose(url), remove: drop };
}

const copyOf = (path: string) => `${path}.copy`;

/** Replaces the file. A log of the service that was stopped does not belong to the copy. */
function putBack(path: string): void {
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  copyFileSync(copyOf(path), path);
}

async function backUpWithSqlite(path: string): Promise<void> {
  const database = new DatabaseSync(path);
  database.exec(`VACUUM INTO '${copyOf(path)}'`);
  database.close();
}

const sqliteIncidents: readonly Incident[] = [
  {
    name: 'a backup that SQLite made takes the place of the file',
    isLive: false,
    prepare: () => sqlitePlace(backUpWithSqlite, async (path) => putBack(path)),
  },
  {
    name: 'an older copy of the file is put back',
    isLive: false,
    prepare: () =>
      sqlitePlace(
        async (path) => {
          expect(existsSync(`${path}-wal`)).toBe(false);
          copyFileSync(path, copyOf(path));
        },
        async (path) => putBack(path),
      ),
  },
  {
    name: 'SQLite restores a backup into the file',
    isLive: false,
    prepare: () =>
      sqlitePlace(backUpWithSqlite, async (path) => {
        const source = new DatabaseSync(copyOf(path), { readOnly: true });
        await backup(source, path);
        source.close();
      }),
  },
];

const nameOf = (url: string) => new URL(url).pathname.slice(1);

const TABLES = [
  ...'migration counter account api_key generation ledger ledger_history idempotency_key tombstone'.split(' '),
  ...['product', 'partner', 'company'],
];

const postgresIncidents: readonly Incident[] = [
  {
    name: 'a copy of the database takes its name',
    isLive: false,
    isOnOneServer: true,
    async prepare() {
      const { url, drop } = await engine('PostgreSQL').makeDatabase();
      const server = url.replace(/\/[^/?]*(?=\?|$)/, '/postgres');
      const name = nameOf(url);
      return {
        url,
        save: () => onPostgres(server, `CREATE DATABASE ${name}_copy TEMPLATE ${name}`),
        async lose() {
          await onPostgres(server, `ALTER DATABASE ${name} RENAME TO ${name}_lost`);
          await onPostgres(server, `ALTER DATABASE ${name}_copy RENAME TO ${name}`);
        },
        async remove() {
          await drop();
          await onPostgres(server, `DROP DATABASE ${name}_lost WITH (FORCE)`);
        },
      };
    },
  },
  {
    name: 'a dump is loaded into the same database',
    isLive: false,
    isOnOneServer: true,
    async prepare() {
      const { url, execute, drop } = await engine('PostgreSQL').makeDatabase();
      return {
        url,
        save: () =>
          execute(
            ['CREATE SCHEMA dump', ...TABLES.map((table) => `CREATE TABLE dump.${table} AS TABLE ${table}`)].join('; '),
          ),
        lose: () =>
          execute(
            TABLES.map((table) => `DELETE FROM ${table}`)
              .toReversed()
              .concat(TABLES.map((table) => `INSERT INTO ${table} SELECT * FROM dump.${table}`))
              .join('; '),
          ),
        remove: drop,
      };
    },
  },
  {
    name: 'a copy of the data directory is put back',
    isLive: true,
    async prepare() {
      const server = await startPostgres();
      let putDataBack = async () => {};
      const whileDown = async (body: () => Promise<void>) => {
        await server.kill('SIGINT');
        await body();
        await server.start();
      };
      return {
        url: server.url('postgres'),
        save: () =>
          whileDown(async () => {
            putDataBack = await server.saveData();
          }),
        lose: () => whileDown(() => putDataBack()),
        remove: () => server.remove(),
      };
    },
  },
  {
    name: 'a standby that missed the last writes takes over',
    isLive: true,
    async prepare() {
      const primary = await startPostgres();
      await primary.kill('SIGINT');
      const standby = await primary.startStandby();
      await primary.start();
      return {
        url: `postgres://stockbook@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/postgres`,
        async save() {
          const position = await evaluate(primary.url('postgres'), 'pg_current_wal_lsn()::text');
          const hasCaughtUp = () =>
            evaluate(standby.url('postgres'), `pg_last_wal_replay_lsn() >= '${position}'::pg_lsn`);
          await expect.poll(hasCaughtUp).toBe(true);
          await standby.kill('SIGINT');
        },
        async lose() {
          await primary.kill();
          await standby.start();
          await onPostgres(standby.url('postgres'), 'SELECT pg_promote()');
          await expect.poll(() => evaluate(standby.url('postgres'), 'pg_is_in_recovery()')).toBe(false);
        },
        async remove() {
          await standby.remove();
          await primary.remove();
        },
      };
    },
  },
];

interface Service extends Pick<TestServer, 'adminPort'> {
  request(path: string, headers?: Readonly<Record<string, string>>): Promise<TestReply>;
  create(name: string): Promise<TestReply>;
  stop(): Promise<void>;
}

async function startOn(url: string, key: string): Promise<Service> {
  const budget = new CacheBudget(4 * 1024 * 1024);
  const store = await openDatabase(url, budget);
  const server = await serveStore(store, budget);
  return {
    adminPort: server.adminPort,
    request: (path, headers = {}) => send(server.port, { path, headers: { ...bearer(key), ...headers } }),
    create: (name) =>
      send(server.port, {
        method: 'POST',
        path: PARTNERS,
        headers: { ...bearer(key), 'content-type': 'application/json' },
        body: JSON.stringify({ name }),
      }),
    async stop() {
      await server.close();
      await store.close();
    },
  };
}

/** A database with an account, a key, and records that no test writes again. */
async function fill(url: string): Promise<string> {
  const store = await openDatabase(url);
  const account = await addAccount(store, 'acme');
  await load(store, account, product, [{ id: 1, name: 'Chair' }]);
  const options = { account: account.id, name: 'test', scopes: DEFAULT_SCOPES, createdAt: NOW, expiresAt: null };
  const key = await issueKey(store.keys, options);
  await store.close();
  return key;
}

/** What changes with the partner that is written second. */
const CHANGING = {
  list: { path: PARTNERS },
  'filtered list': { path: `${PARTNERS}?filter=name!*zzz&fields=id,name` },
  'NDJSON export': { path: PARTNERS, accept: 'application/x-ndjson' },
  'CSV export': { path: PARTNERS, accept: 'text/csv' },
  record: { path: `${PARTNERS}/2` },
};
/** What was written before, and not since. */
const UNCHANGED = {
  record: { path: `${PARTNERS}/1?fields=name` },
  'other list': { path: PRODUCTS },
  'other record': { path: `${PRODUCTS}/1` },
  'other export': { path: PRODUCTS, accept: 'text/csv' },
};

type Requests = Readonly<Record<string, { readonly path: string; readonly accept?: string }>>;
type Tags = Readonly<Record<string, string | undefined>>;

async function each<Result>(requests: Requests, body: (request: Requests[string], name: string) => Promise<Result>) {
  const results: Record<string, Result> = {};
  for (const [name, request] of Object.entries(requests)) results[name] = await body(request, name);
  return results;
}

/** Requested until the responses are cached. */
function tagsOf(service: Service, requests: Requests): Promise<Tags> {
  return each(requests, async ({ path, accept = 'application/json' }) => {
    for (let n = 0; n < 3; n += 1) expect(await service.request(path, { accept })).toRespond(200);
    return (await service.request(path, { accept })).headers['etag'];
  });
}

/** What conditional requests return: the status, or the body of a 200. */
function revalidated(service: Service, requests: Requests, tags: Tags) {
  return each(requests, async ({ path, accept = 'application/json' }, name) => {
    const { status, text } = await service.request(path, { accept, 'if-none-match': tags[name] ?? '' });
    return status === 200 ? text : status;
  });
}

/** The status of the changes since a cursor, and the cursor at their end. */
async function changesSince(
  service: Service,
  since?: string,
): Promise<{ readonly status: number; readonly cursor: string }> {
  const query = since === undefined ? '' : `?since=${since}`;
  const { status, json } = await service.request(`${PARTNERS}/changes${query}`);
  return { status, cursor: Object(json).meta?.cursor };
}

const allAre = (requests: Requests, value: unknown) =>
  Object.fromEntries(Object.keys(requests).map((name) => [name, value]));

describe.each([
  { engine: 'SQLite', incidents: sqliteIncidents },
  { engine: 'PostgreSQL', incidents: postgresIncidents },
])('on $engine', ({ incidents }) => {
  const possible = incidents.filter(({ isOnOneServer = false }) => !(isOnOneServer && inject('isCluster')));
  test.each(possible.map((incident) => [incident.name, incident] as const))(
    'no client keeps what was lost: %s',
    async (_, { isLive, prepare }) => {
      const place = await prepare();
      const key = await fill(place.url);
      let service = await startOn(place.url, key);
      const whileStopped = async (body: () => Promise<void>) => {
        if (!isLive) await service.stop();
        await body();
        if (!isLive) service = await startOn(place.url, key);
        await expect.poll(() => readiness(service)).toRespond(200);
      };
      expect((await service.create('First')).json).toEqual({ data: { id: 1 } });
      const unchanged = await tagsOf(service, UNCHANGED);
      const { list: before } = await tagsOf(service, { list: CHANGING.list });
      const { cursor: sharedCursor } = await changesSince(service);

      await whileStopped(place.save);
      expect((await service.create('Lost')).json).toEqual({ data: { id: 2 } });
      const lost = await tagsOf(service, CHANGING);
      const { cursor: lostCursor } = await changesSince(service, sharedCursor);
      await whileStopped(place.lose);

      // The copy is a part of the history that both have in common.
      expect(await service.request(PARTNERS, { 'if-none-match': before ?? '' })).toRespond(304);
      expect(await service.request(`${PARTNERS}/2`)).toRespond(404);
      expect(await service.request(PARTNERS, { 'if-none-match': lost['list'] ?? '' })).toRespond(200);
      expect(await changesSince(service, sharedCursor)).toMatchObject({ status: 200 });
      expect(await changesSince(service, lostCursor)).toMatchObject({ status: 410 });

      // The same id and the same revision, but another record.
      expect((await service.create('Found')).json).toEqual({ data: { id: 2 } });
      for (const text of Object.values(await revalidated(service, CHANGING, lost))) {
        expect(text).toContain('Found');
        expect(text).not.toContain('Lost');
      }
      expect(await changesSince(service, lostCursor)).toMatchObject({ status: 410 });
      const { status, cursor: keptCursor } = await changesSince(service, sharedCursor);
      expect(status).toBe(200);
      const kept = await tagsOf(service, CHANGING);
      for (const [name, tag] of Object.entries(kept)) expect({ name, tag }).not.toEqual({ name, tag: lost[name] });
      expect(await revalidated(service, UNCHANGED, unchanged)).toEqual(allAre(UNCHANGED, 304));

      // A restart loses nothing.
      await service.stop();
      service = await startOn(place.url, key);
      expect(await revalidated(service, CHANGING, kept)).toEqual(allAre(CHANGING, 304));
      for (const cursor of [sharedCursor, keptCursor])
        expect(await changesSince(service, cursor)).toEqual({ status: 200, cursor: expect.any(String) });
      expect(await revalidated(service, UNCHANGED, unchanged)).toEqual(allAre(UNCHANGED, 304));
      expect((await service.create('Another')).json).toEqual({ data: { id: 3 } });
      expect(await revalidated(service, { record: CHANGING.record }, kept)).toEqual({ record: 304 });
      expect(await revalidated(service, UNCHANGED, unchanged)).toEqual(allAre(UNCHANGED, 304));
      await service.stop();
      await place.remove();
    },
  );
});

describe.each(engines)('on $name', ({ makeDatabase }) => {
  test('restarts without a loss keep every entity tag', async () => {
    const database = await makeDatabase();
    const key = await fill(database.url);
    const first = await startOn(database.url, key);
    for (const name of ['First', 'Second']) await first.create(name);
    const [changing, unchanged] = [await tagsOf(first, CHANGING), await tagsOf(first, UNCHANGED)];
    await first.stop();
    for (let n = 0; n < 3; n += 1) {
      const service = await startOn(database.url, key);
      expect(await revalidated(service, CHANGING, changing)).toEqual(allAre(CHANGING, 304));
      expect(await revalidated(service, UNCHANGED, unchanged)).toEqual(allAre(UNCHANGED, 304));
      await service.stop();
    }
    await database.drop();
  });
});

test('a restart of the PostgreSQL server keeps every entity tag', async () => {
  const server = await startPostgres();
  const key = await fill(server.url('postgres'));
  const service = await startOn(server.url('postgres'), key);
  for (const name of ['First', 'Second']) await service.create(name);
  const [changing, unchanged] = [await tagsOf(service, CHANGING), await tagsOf(service, UNCHANGED)];
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    await server.kill(signal);
    await server.start();
    await expect.poll(() => readiness(service)).toRespond(200);
    expect(await revalidated(service, CHANGING, changing)).toEqual(allAre(CHANGING, 304));
    expect(await revalidated(service, UNCHANGED, unchanged)).toEqual(allAre(UNCHANGED, 304));
  }
  expect((await service.create('Third')).json).toEqual({ data: { id: 3 } });
  expect(await revalidated(service, { record: CHANGING.record }, changing)).toEqual({ record: 304 });
  expect((await revalidated(service, { list: CHANGING.list }, changing))['list']).toContain('Third');
  await service.stop();
  await server.remove();
});
