import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { partner } from '../../../src/catalog/partner.ts';
import { product } from '../../../src/catalog/product.ts';
import { planCreate } from '../../../src/plan/create.ts';
import { planList } from '../../../src/plan/list.ts';
import { SCHEMA_VERSION } from '../../../src/store/migrations/migrations.ts';
import { PRUNING_LOCK } from '../../../src/store/postgres/dialect.ts';
import { StoreUnavailable, UnusableDatabase } from '../../../src/store/store-error.ts';
import { nodeUrls } from '../../support/cluster.ts';
import { onPostgres, openDatabase, type TestDatabase } from '../../support/engines.ts';
import { addAccount, listPage, load, NOW, planned, recordsIn, tabled } from '../../support/fixture.ts';
import { freshDatabase, openWith } from '../../support/fresh-database.ts';
import { backendsOf, connectTo, queryOnce } from '../../support/postgres-connection.ts';

const server = inject('postgresUrl');
const isCluster = inject('isCluster');
describe('opening', () => {
  test('of many nodes that start at once, one migrates', async () => {
    const { url } = await freshDatabase();
    const stores = await Promise.all(Array.from({ length: 10 }, () => openDatabase(url)));
    const [store] = stores;
    expect(await store?.accounts.list()).toEqual([]);
    const migrations = await queryOnce(url, 'SELECT number FROM migration ORDER BY number');
    expect(migrations.map(({ number }) => Number(number))).toEqual(
      Array.from({ length: SCHEMA_VERSION }, (_, n) => n + 1),
    );
    await Promise.all(stores.map((each) => each.close()));
  });

  test('a database of a newer version is refused', async () => {
    const { url, execute } = await freshDatabase();
    await (await openDatabase(url)).close();
    await execute(`INSERT INTO migration VALUES (${SCHEMA_VERSION + 1}, 'from the future', now())`);
    await expect(openDatabase(url)).rejects.toThrow(/newer Stockbook/);
  });

  test('a database with another encoding is refused', async () => {
    await onPostgres(
      server,
      "CREATE DATABASE test_latin1 TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'",
    );
    const url = server.replace(/\/[^/]*$/, '/test_latin1');
    await expect(openDatabase(url)).rejects.toThrow(UnusableDatabase);
    await expect(openDatabase(url)).rejects.toThrow(/ENCODING 'UTF8'/);
    await onPostgres(server, 'DROP DATABASE test_latin1');
  });

  test('a missing database is unusable, and a missing server is unavailable', async () => {
    const missing = openDatabase(server.replace(/\/[^/]*$/, '/nowhere'));
    await expect(missing).rejects.toThrow(/The PostgreSQL database does not exist/);
    await expect(missing).rejects.toBeInstanceOf(UnusableDatabase);
    await expect(openDatabase('postgres://u@127.0.0.1:1/x')).rejects.toBeInstanceOf(StoreUnavailable);
  });
});

test('doubles keep their last bit, whatever precision the database is set to', async () => {
  const { url, execute } = await freshDatabase();
  const setDigits = (value: number) =>
    execute(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET extra_float_digits = ${value}`);
  await setDigits(-5);
  const store = await openDatabase(url);
  const account = await addAccount(store, 'acme');
  if (isCluster) {
    await expect(store.version(account.id)).rejects.toThrow(/rounds numbers: its setting extra_float_digits is -5/);
    await setDigits(1);
  }
  await load(store, account, product, [{ id: 1, name: 'A', list_price: 0.1 + 0.2 }]);
  const page = await listPage(store, account.id, planned(planList(product, { values: {}, continuations: [] })));
  expect(page && recordsIn(page.records)[0]?.['list_price']).toBe(0.1 + 0.2);
  await store.close();
});

test('extensions are used from any schema', async () => {
  const { url, execute } = await freshDatabase();
  await execute(
    'CREATE SCHEMA extensions; CREATE EXTENSION pg_trgm SCHEMA extensions; CREATE EXTENSION btree_gin SCHEMA extensions',
  );
  await (await openDatabase(url)).close();
  const found = await queryOnce(url, `SELECT 1 FROM pg_indexes WHERE indexname = 'product_name_fold_search'`);
  expect(found).toHaveLength(1);
});

describe('permissions', () => {
  let database: TestDatabase;
  let [owner, service]: [string, string] = ['', ''];
  beforeAll(async () => {
    database = await freshDatabase();
    const name = new URL(database.url).pathname.slice(1);
    await onPostgres(server, `CREATE ROLE ${name}_owner LOGIN; CREATE ROLE ${name}_service LOGIN`);
    await database.execute(`GRANT CREATE, USAGE ON SCHEMA public TO ${name}_owner; GRANT USAGE ON SCHEMA public TO ${name}_service;
      REVOKE ALL ON DATABASE ${name} FROM PUBLIC; GRANT CONNECT, TEMPORARY ON DATABASE ${name} TO ${name}_owner, ${name}_service`);
    const as = (role: string) => database.url.replace(/\/\/[^@]*@/, `//${role}@`);
    [owner, service] = [as(`${name}_owner`), as(`${name}_service`)];
    await (await openWith(owner)).close();
    await onPostgres(owner, `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${name}_service`);
    if (isCluster) {
      await onPostgres(owner, `GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${name}_service`);
      await database.execute(`GRANT CREATE ON DATABASE ${name} TO ${name}_owner, ${name}_service`);
    }
  });

  test('search works without permission to create extensions', async () => {
    const store = await openWith(owner);
    expect(await queryOnce(owner, `SELECT extname FROM pg_extension WHERE extname = 'pg_trgm'`)).toEqual([]);
    const account = await addAccount(store, 'acme');
    await load(store, account, product, tabled('id name', [1, '100% Wool_Rug'], [2, 'Chair']));
    const page = await listPage(
      store,
      account.id,
      planned(planList(product, { values: { filter: 'name*0% WOOL_' }, continuations: [] })),
    );
    expect(page && recordsIn(page.records).map(({ id }) => id)).toEqual([1]);
    await store.close();
  });

  test('a role that may only read and write rows can serve, create and import', async () => {
    const store = await openWith(service);
    const account = await addAccount(store, 'globex');
    expect(
      await store.records.create({ account: account.id }, planned(planCreate(partner, { name: 'A' }, NOW))),
    ).toEqual({ id: 1 });
    expect(await load(store, account, partner, [{ id: 1, name: 'B' }, { name: 'C' }])).toEqual({
      kind: 'loaded',
      created: 1,
      updated: 1,
      unchanged: 0,
      removed: 0,
      skipped: [],
      version: { generation: expect.any(Number), revision: 2 },
    });
    await store.close();
  });

  test('a missing permission is reported with the page that lists them', async () => {
    const { url, execute } = await freshDatabase();
    const name = new URL(url).pathname.slice(1);
    await execute(`CREATE ROLE ${name}_guest LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC`);
    await expect(openWith(url.replace(/\/\/[^@]*@/, `//${name}_guest@`))).rejects.toThrow(/docs\/postgresql\.md/);
  });
});

// Authentication is over, and the server is ready for a query: https://www.postgresql.org/docs/current/protocol-flow.html
const WELCOME = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I');

test.each([
  ['accepts the connection and never responds', () => {}],
  ['authenticates and then never responds', (socket: Socket) => socket.once('data', () => socket.write(WELCOME))],
])('a server that %s is unreachable after the connect timeout', async (_, greet) => {
  const silent = createServer((socket) => {
    greet(socket);
    socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = Object(silent.address());
  await expect(openWith(`postgres://u@127.0.0.1:${port}/x?connect_timeout=1`)).rejects.toMatchObject({
    name: 'StoreUnavailable',
    reason: 'unreachable',
  });
  silent.close();
});

/** Processes can only be stopped on the machine they run on. */
const isRemote = process.env['STOCKBOOK_TEST_POSTGRES'] !== undefined;

test.skipIf(isRemote)('a server that falls silent counts as lost, and is found again', async () => {
  const { url } = await freshDatabase();
  const store = await openWith(`${url}?connect_timeout=4`, { statementTimeout: 2 });
  for (let n = 0; n < 2; n += 1) await store.accounts.list();
  const backends = await backendsOf(url);
  for (const pid of backends) process.kill(pid, 'SIGSTOP');
  try {
    await expect(store.accounts.list()).rejects.toMatchObject({ name: 'StoreUnavailable', reason: 'unreachable' });
    expect(await store.accounts.list()).toEqual([]);
  } finally {
    for (const pid of backends) process.kill(pid, 'SIGCONT');
  }
  await store.close();
});

test('of several nodes, one forgets removed records at a time', async () => {
  const { url, execute, count } = await freshDatabase();
  const store = await openWith(url);
  const { id } = await addAccount(store, 'acme');
  await execute(`INSERT INTO tombstone VALUES (${id}, 'product', 1, 1, '${NOW}')`);
  const later = new Date(Date.parse(NOW) + 1_000).toISOString();
  const other = connectTo(url);
  await other.query(`BEGIN; SELECT pg_advisory_xact_lock(${PRUNING_LOCK})`);
  await store.records.prune(later);
  expect(await count('tombstone', 'true')).toBe(1);
  await other.end();
  await store.records.prune(later);
  expect(await count('tombstone', 'true')).toBe(0);
});

test('a read times out if a table stays locked', async () => {
  const { url } = await freshDatabase();
  const store = await openWith(url);
  const { id } = await addAccount(store, 'acme');
  // On a cluster, the tables of all shards.
  const connections = (await nodeUrls(url)).map(connectTo);
  for (const connection of connections)
    await connection.query(`BEGIN; SET LOCAL citus.enable_ddl_propagation = off; SET LOCAL citus.override_table_visibility = off;
      DO $$ DECLARE name text; BEGIN
        FOR name IN SELECT relname FROM pg_class WHERE relname ~ '^product(_\\d+)?$' AND relkind = 'r'
          LOOP EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', name); END LOOP;
      END $$`);
  const plan = planned(planList(product, { values: { filter: 'name=a' }, continuations: [] }));
  // Statements of one shape are prepared once, so the others depend on the first.
  const reads = Array.from({ length: 5 }, () => listPage(store, id, plan));
  const outcomes = await Promise.allSettled(reads);
  expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason)).toEqual(
    reads.map(() => expect.objectContaining({ name: 'StoreUnavailable', reason: 'busy' })),
  );
  for (const connection of connections) await connection.end();
  expect(await listPage(store, id, plan)).toMatchObject({ total: 0 });
  await store.close();
});

const TERMINATE_OTHERS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

test('a single server that is read-only keeps its connections, and writes continue when it allows them', async () => {
  const { url } = await freshDatabase();
  const store = await openWith(url);
  const account = await addAccount(store, 'one');
  const create = () => store.records.create({ account: account.id }, planned(planCreate(partner, { name: 'A' }, NOW)));
  const setReadOnly = (state: 'on' | 'off') =>
    onPostgres(server, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = ${state}`);
  await setReadOnly('on');
  await onPostgres(url, TERMINATE_OTHERS);
  await expect.poll(() => create().catch((error: unknown) => error)).toMatchObject({ reason: 'not writable' });
  const { connects } = store.stats();
  for (let n = 0; n < 3; n += 1) await expect(create()).rejects.toMatchObject({ reason: 'not writable' });
  expect(await store.version(account.id)).toBeDefined();
  expect(store.stats().connects).toBe(connects);
  await setReadOnly('off');
  expect(await create()).toEqual({ id: 1 });
  expect(store.stats().connects).toBe(connects);
  await store.close();
});

test('no read hangs if the connections are lost, not even one that was not sent yet', async () => {
  const { url } = await freshDatabase();
  const store = await openWith(url);
  const account = await addAccount(store, 'one');
  const filters = Array.from({ length: 300 }, (_, n) => ({ filter: `id>${n}${'&list_price>1'.repeat(n % 30)}` }));
  const reads = filters.map((values) =>
    listPage(store, account.id, planned(planList(product, { values, continuations: [] }))),
  );
  const settled = Promise.allSettled(reads);
  await onPostgres(url, TERMINATE_OTHERS);
  for (const outcome of await settled)
    expect(outcome).toBeOneOf([
      { status: 'fulfilled', value: expect.anything() },
      { status: 'rejected', reason: expect.any(StoreUnavailable) },
    ]);
  expect(
    await listPage(store, account.id, planned(planList(product, { values: {}, continuations: [] }))),
  ).toMatchObject({ total: 0 });
  await store.close();
});
