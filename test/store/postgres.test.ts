import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { catalog } from '../../src/catalog/catalog.ts';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { planCreate } from '../../src/plan/create.ts';
import { planList } from '../../src/plan/list.ts';
import { planRecord } from '../../src/plan/record.ts';
import { Problem } from '../../src/problem/problem.ts';
import { Deadline, NO_DEADLINE } from '../../src/schedule/deadline.ts';
import { readDatabase, showDatabase } from '../../src/store/database.ts';
import { MIGRATION_TABLE, migrations, SCHEMA_VERSION, type Upgrade } from '../../src/store/migrations/migrations.ts';
import { openStore } from '../../src/store/open.ts';
import { Connection } from '../../src/store/postgres/connection.ts';
import { PROFILES, settingsOf } from '../../src/store/postgres/connection-profiles.ts';
import { postgresDialect } from '../../src/store/postgres/dialect.ts';
import { PostgresEngine } from '../../src/store/postgres/engine.ts';
import { Primary } from '../../src/store/postgres/primary.ts';
import { readPostgresUrl } from '../../src/store/postgres/url.ts';
import type { Parameter } from '../../src/store/sql/dialect.ts';
import { findKeyStatement, removeExpiredKeyStatement } from '../../src/store/sql/idempotency-statements.ts';
import { enterStatements, versionsStatement } from '../../src/store/sql/ledger.ts';
import { listStatement } from '../../src/store/sql/list-statements.ts';
import { createStatements, findStatement } from '../../src/store/sql/record-statements.ts';
import { type Row, textOf } from '../../src/store/sql/row.ts';
import type { Statement } from '../../src/store/sql/statement.ts';
import type { Store } from '../../src/store/store.ts';
import { StoreUnavailable, UnusableDatabase } from '../../src/store/store-error.ts';
import { makePostgresDatabase, onPostgres, openDatabase, type TestDatabase } from '../support/engines.ts';
import { addAccount, listPage, load, NOW, planned, recordsIn } from '../support/fixture.ts';

const server = inject('postgresUrl');
const databases: TestDatabase[] = [];
afterAll(() => Promise.all(databases.map((database) => database.drop())));

async function freshDatabase(): Promise<TestDatabase> {
  const database = await makePostgresDatabase(server);
  databases.push(database);
  return database;
}

function open(url: string, options: Partial<Parameters<typeof openStore>[1]> = {}): Promise<Store> {
  const database = readDatabase(url);
  if (database === undefined) throw new Error(`${url} is not a database`);
  return openStore(database, { create: true, poolSize: 3, statementTimeout: 20, ...options });
}

describe('the URL', () => {
  test.each([
    [
      'postgres://u:p@db/stock',
      { hosts: [{ host: 'db', port: 5432 }], user: 'u', password: 'p', database: 'stock', sslMode: 'disable' },
    ],
    [
      'postgresql://u:p%40%2F@db:6432/st%20ock',
      { hosts: [{ host: 'db', port: 6432 }], password: 'p@/', database: 'st ock' },
    ],
    [
      'postgres://u@a:1,b:2,[::1]:3/x',
      {
        hosts: [
          { host: 'a', port: 1 },
          { host: 'b', port: 2 },
          { host: '::1', port: 3 },
        ],
      },
    ],
    ['postgres://u@db', { database: 'u', password: '' }],
    [
      'postgres://db/x?sslmode=verify-full&sslrootcert=/ca.pem&connect_timeout=3',
      { sslMode: 'verify-full', sslRootCert: '/ca.pem', connectTimeout: 3 },
    ],
  ])('%s', (text, parts) => {
    expect(readPostgresUrl(text)).toMatchObject(parts);
  });

  test.each([
    ...[
      'postgres://u@a:b/x',
      'postgres://u@a:99999/x',
      'postgres://u@a,/x',
      'postgres://u@h/x?sslmode=maybe',
      'postgres://u@h/x?application_name=y',
    ],
    ...['postgres://u@h/x?connect_timeout=0', 'postgres://u%zz@h/x', 'postgres:x'],
  ])('%s is invalid', (text) => {
    expect(readDatabase(text)).toBeUndefined();
  });

  test('is shown without its password', () => {
    expect(showDatabase('postgres://u:s3cret@db:1/x?sslmode=require')).toBe('postgres://u:***@db:1/x?sslmode=require');
    expect(showDatabase('postgres://u@db/x')).toBe('postgres://u@db/x');
    expect(showDatabase('POSTGRES://u:s3cret@db/x')).toBe('POSTGRES://u:***@db/x');
  });

  test.each([
    'postgres://u:s3/cret@h/x',
    'postgres://u:12/s3cret@localhost/x',
    'postgres://u:s3cret@ss@h/x',
    'postgres://h/x?user=u&password=s3cret',
    'postgres://h/x?sslrootcert=s3cret',
  ])('%s is invalid, and not shown', (text) => {
    expect(readDatabase(text)).toBeUndefined();
    expect(showDatabase(text)).toBe('***');
  });
});

describe('opening', () => {
  test('of many nodes that start at once, one migrates', async () => {
    const { url } = await freshDatabase();
    const stores = await Promise.all(Array.from({ length: 10 }, () => openDatabase(url)));
    const [store] = stores;
    expect(await store?.accounts.list()).toEqual([]);
    const sql = postgres(url, { max: 1 });
    expect((await sql`SELECT number FROM migration ORDER BY number`).map(({ number }) => Number(number))).toEqual(
      Array.from({ length: SCHEMA_VERSION }, (_, n) => n + 1),
    );
    await sql.end();
    await Promise.all(stores.map((each) => each.close()));
  });

  const databaseOf = async (version: number) => {
    const { url, execute } = await freshDatabase();
    await execute(MIGRATION_TABLE.postgres);
    for (const { number, postgres: steps } of migrations.slice(0, version)) {
      for (const step of steps) if (typeof step === 'string') await execute(step);
      await execute(`INSERT INTO migration VALUES (${number}, 'earlier', now())`);
    }
    return url;
  };

  test('a database of an older version is migrated once, and the upgrade is reported', async () => {
    const url = await databaseOf(3);
    const upgrades: Upgrade[] = [];
    for (const _ of ['the first time', 'the second time'])
      await (await open(url, { onUpgrade: (upgrade) => upgrades.push(upgrade) })).close();
    expect(upgrades).toEqual([{ from: 3, to: SCHEMA_VERSION }]);
  });

  test('replaced indexes are dropped without blocking reads, even during an export', async () => {
    const url = await databaseOf(4);
    const sql = postgres(url, { max: 3, onnotice: () => {} });
    const exporting = await sql.reserve();
    await exporting.unsafe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM product');
    const opening = open(url);
    const versions = () => sql`SELECT max(number)::int AS number FROM migration`;
    await expect.poll(async () => (await versions())[0]?.['number']).toBe(SCHEMA_VERSION);
    // DROP INDEX CONCURRENTLY waits for the transaction of the export.
    const waiting = () => sql`SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid)
      WHERE datname = current_database() AND locktype = 'virtualxid' AND NOT granted`;
    await expect.poll(waiting).toHaveLength(1);
    expect(await sql.unsafe('SELECT id FROM product')).toEqual([]);
    expect(await waiting()).toHaveLength(1);
    await exporting.unsafe('COMMIT');
    exporting.release();
    await (await opening).close();
    const indexes = await sql`SELECT indexname FROM pg_indexes WHERE indexname LIKE 'product_list_price%'`;
    expect(indexes.map(({ indexname }) => indexname)).toEqual(['product_list_price_covering']);
    await sql.end();
  });

  describe('foreign keys of records', () => {
    const besideExport = async () => {
      const url = await databaseOf(5);
      const sql = postgres(url, { max: 3, onnotice: () => {} });
      const references = async () => {
        const found =
          await sql`SELECT conrelid::regclass::text AS table FROM pg_constraint WHERE contype = 'f' AND conname <> 'ledger_account_id_fkey'`;
        return found.map(({ table }) => table).toSorted();
      };
      expect(await references()).toEqual(['api_key', 'company', 'partner', 'product']);
      const exporting = await sql.reserve();
      await exporting.unsafe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM product');
      return { url, sql, references, exporting, opening: open(url) };
    };

    test('are dropped as soon as an export allows it', async () => {
      // The attempts end after a while. If the export ends too late for the last one, another round is needed.
      for (let isDropped = false; !isDropped; ) {
        const { sql, references, exporting, opening } = await besideExport();
        const attempts = () => sql`SELECT 1 FROM pg_stat_activity
          WHERE datname = current_database() AND state = 'active' AND query LIKE 'DO %product DROP CONSTRAINT%'`;
        const opened = opening.then(() => 'opened');
        while ((await Promise.race([opened, attempts()])).length === 0);
        await exporting.unsafe('COMMIT');
        exporting.release();
        await (await opening).close();
        isDropped = (await references()).join() === 'api_key';
        await sql.end();
      }
    });

    test('stay if they cannot be dropped at once; reads are not blocked, and the database opens', async () => {
      const { sql, references, exporting, opening } = await besideExport();
      let isOpen = false;
      const reading = (async () => {
        while (!isOpen) expect(await sql.unsafe('SELECT id FROM product')).toEqual([]);
      })();
      const store = await opening;
      isOpen = true;
      await reading;
      expect(await references()).toEqual(['api_key', 'product']);
      await exporting.unsafe('COMMIT');
      exporting.release();
      const account = await addAccount(store, 'acme');
      await load(store, account, product, [{ id: 1, name: 'A' }]);
      await store.accounts.remove(account.id);
      expect(await sql`SELECT 1 FROM product`).toEqual([]);
      await store.close();
      await sql.end();
    });

    test('stay, with the schema version, if the role may not alter tables', async () => {
      const url = await databaseOf(5);
      const role = `${new URL(url).pathname.slice(1)}_other`;
      await onPostgres(
        url,
        `CREATE ROLE ${role} LOGIN PASSWORD 'other'; GRANT CREATE, USAGE ON SCHEMA public TO ${role};
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`,
      );
      const other = Object.assign(new URL(url), { username: role, password: 'other' }).href;
      await expect(open(other)).rejects.toThrow(/must be owner/);
      const sql = postgres(url, { max: 1 });
      expect(await sql`SELECT max(number)::int AS number FROM migration`).toEqual([{ number: 5 }]);
      await sql.unsafe(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
      await sql.end();
      await (await open(url)).close();
    });
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
  await execute(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET extra_float_digits = -5`);
  const store = await openDatabase(url);
  const account = await addAccount(store, 'acme');
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
  const sql = postgres(url, { max: 1 });
  expect(await sql`SELECT 1 FROM pg_indexes WHERE indexname = 'product_name_fold_search'`).toHaveLength(1);
  await sql.end();
});

describe('permissions', () => {
  let database: TestDatabase;
  let [owner, worker]: [string, string] = ['', ''];
  beforeAll(async () => {
    database = await freshDatabase();
    const name = new URL(database.url).pathname.slice(1);
    await onPostgres(server, `CREATE ROLE ${name}_owner LOGIN; CREATE ROLE ${name}_worker LOGIN`);
    await database.execute(`GRANT CREATE, USAGE ON SCHEMA public TO ${name}_owner; GRANT USAGE ON SCHEMA public TO ${name}_worker;
      REVOKE ALL ON DATABASE ${name} FROM PUBLIC; GRANT CONNECT, TEMPORARY ON DATABASE ${name} TO ${name}_owner, ${name}_worker`);
    const as = (role: string) => database.url.replace(/\/\/[^@]*@/, `//${role}@`);
    [owner, worker] = [as(`${name}_owner`), as(`${name}_worker`)];
    await (await open(owner)).close();
    await onPostgres(owner, `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${name}_worker`);
  });

  test('search works without permission to create extensions', async () => {
    const store = await open(owner);
    const sql = postgres(owner, { max: 1 });
    expect(await sql`SELECT extname FROM pg_extension WHERE extname = 'pg_trgm'`).toEqual([]);
    await sql.end();
    const account = await addAccount(store, 'acme');
    await load(store, account, product, [
      { id: 1, name: '100% Wool_Rug' },
      { id: 2, name: 'Chair' },
    ]);
    const page = await listPage(
      store,
      account.id,
      planned(planList(product, { values: { filter: 'name*0% WOOL_' }, continuations: [] })),
    );
    expect(page && recordsIn(page.records).map(({ id }) => id)).toEqual([1]);
    await store.close();
  });

  test('a role that may only read and write rows can serve, create and import', async () => {
    const store = await open(worker);
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
    });
    await store.close();
  });

  test('a missing permission is reported with the page that lists them', async () => {
    const { url, execute } = await freshDatabase();
    const name = new URL(url).pathname.slice(1);
    await execute(`CREATE ROLE ${name}_guest LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC`);
    await expect(open(url.replace(/\/\/[^@]*@/, `//${name}_guest@`))).rejects.toThrow(/docs\/postgresql\.md/);
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
  await expect(open(`postgres://u@127.0.0.1:${port}/x?connect_timeout=1`)).rejects.toMatchObject({
    name: 'StoreUnavailable',
    reason: 'unreachable',
  });
  silent.close();
});

describe('prepared statements', () => {
  test.each(['slow', 'reserved'] as const)(
    'that were dropped are deallocated on the server, and prepared again when needed: %s',
    async (kind) => {
      const url = readPostgresUrl((await freshDatabase()).url);
      const [host] = url?.hosts ?? [];
      if (url === undefined || host === undefined) throw new Error('the URL is invalid');
      const connection = await Connection.open(host, kind, { url, statementTimeout: 20, onLost: () => {} });
      const run = async (n: number) =>
        (await connection.query(`SELECT ${n} AS n`, [], { preparedFor: 'all' }))[0]?.['n'];
      // The shared connection sends all at once, so that statements are dropped before they were answered.
      const runAll = async (numbers: readonly number[]) => {
        if (kind === 'reserved') return Promise.all(numbers.map(run));
        const results: unknown[] = [];
        for (const number of numbers) results.push(await run(number));
        return results;
      };
      const prepared = async () => {
        const rows = await connection.query('SELECT statement FROM pg_prepared_statements');
        return rows.map((row) => Number(/\d+/.exec(textOf(row, 'statement'))?.[0])).toSorted((a, b) => a - b);
      };
      const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
      expect(await runAll(numbers(1, 200))).toEqual(numbers(1, 200).map(String));
      expect(await prepared()).toEqual(numbers(1, 200));
      await run(1);
      await run(201);
      expect(await prepared()).toEqual([1, ...numbers(3, 201)]);
      expect(await run(2)).toBe('2');
      expect(await prepared()).toEqual([1, 2, ...numbers(4, 201)]);
      expect(await runAll(numbers(1, 999))).toEqual(numbers(1, 999).map(String));
      expect(await prepared()).toEqual(numbers(800, 999));
      await connection.close();
    },
  );
});

/** Processes can only be stopped on the machine they run on. */
const isRemote = process.env['STOCKBOOK_TEST_POSTGRES'] !== undefined;

test.skipIf(isRemote)('a server that falls silent counts as lost, and is found again', async () => {
  const { url } = await freshDatabase();
  const store = await open(`${url}?connect_timeout=4`, { statementTimeout: 2 });
  for (let n = 0; n < 2; n += 1) await store.accounts.list();
  const sql = postgres(url, { max: 1 });
  const backends = await sql<
    { pid: number }[]
  >`SELECT pid FROM pg_stat_activity WHERE application_name = 'stockbook' AND datname = current_database()`;
  for (const { pid } of backends) process.kill(pid, 'SIGSTOP');
  try {
    await expect(store.accounts.list()).rejects.toMatchObject({ name: 'StoreUnavailable', reason: 'unreachable' });
    expect(await store.accounts.list()).toEqual([]);
  } finally {
    for (const { pid } of backends) process.kill(pid, 'SIGCONT');
  }
  await sql.end();
  await store.close();
});

test('a read times out if a table stays locked', async () => {
  const { url } = await freshDatabase();
  const store = await open(url);
  const { id } = await addAccount(store, 'acme');
  const sql = postgres(url, { max: 1 });
  await sql.unsafe('BEGIN; LOCK TABLE product IN ACCESS EXCLUSIVE MODE');
  const plan = planned(planList(product, { values: { filter: 'name=a' }, continuations: [] }));
  // Statements of one shape are prepared once, so the others depend on the first.
  const reads = Array.from({ length: 5 }, () => listPage(store, id, plan));
  const outcomes = await Promise.allSettled(reads);
  expect(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason)).toEqual(
    reads.map(() => expect.objectContaining({ name: 'StoreUnavailable', reason: 'busy' })),
  );
  await sql.end();
  expect(await listPage(store, id, plan)).toMatchObject({ total: 0 });
  await store.close();
});

describe('executors', () => {
  const withEngine = async (body: (engine: PostgresEngine) => Promise<void>, statementTimeout = 20) => {
    const { url } = await freshDatabase();
    await (await open(url)).close();
    const address = readPostgresUrl(url);
    if (address === undefined) throw new Error(`${url} is not a URL`);
    const engine = new PostgresEngine(new Primary(address, { poolSize: 3, statementTimeout }), { poolSize: 3 });
    await body(engine).finally(() => engine.close());
  };
  const backend = { text: 'SELECT pg_backend_pid()::text AS pid', parameters: [] };
  const sleep = (seconds: number) => ({
    text: 'SELECT pg_sleep($1::double precision), pg_backend_pid()::text AS pid',
    parameters: [seconds],
  });
  const job = (account = 1) => ({ account, cost: 0, deadline: NO_DEADLINE });
  const runOn = (engine: PostgresEngine, executor: 'reserved' | 'fast' | 'slow', statement: Statement, account = 1) => {
    if (executor === 'reserved') return engine.reserved(statement);
    if (executor === 'fast') return engine.fast(job(account), statement);
    return engine.slow(job(account), ({ read }) => read(statement));
  };
  const pidOf = (rows: readonly Row[]) => rows.map((row) => textOf(row, 'pid'))[0];

  // A fast read that takes long because the machine is busy is legitimately run as a slow one, hence the polling.

  test('reserved and fast reads share a connection each; slow reads have others', () =>
    withEngine(async (engine) => {
      const pids = async (executor: 'reserved' | 'fast') => {
        const rows = await Promise.all(Array.from({ length: 20 }, () => runOn(engine, executor, backend)));
        return [...new Set(rows.map(pidOf))];
      };
      const all = async () => [
        await pids('reserved'),
        await pids('fast'),
        [pidOf(await runOn(engine, 'slow', backend))],
      ];
      await expect.poll(async () => (await all()).map(({ length }) => length)).toEqual([1, 1, 1]);
      await expect.poll(async () => new Set((await all()).flat()).size).toBe(3);
    }));

  test.each(['reserved', 'fast', 'slow'] as const)('%s: the connection has its settings', (executor) =>
    withEngine(async (engine) => {
      for (const [name, value] of Object.entries(settingsOf(executor, { statementTimeout: 7 }))) {
        const statement = { text: 'SELECT setting, source FROM pg_settings WHERE name = $1::text', parameters: [name] };
        await expect
          .poll(async () => ({ name, ...(await runOn(engine, executor, statement))[0] }))
          .toEqual({ name, setting: value, source: 'client' });
      }
    }, 7),
  );

  test('a fast read that turns out to be slow is cancelled and run again as a slow one', () =>
    withEngine(async (engine) => {
      let account = 0;
      const attempt = async () => {
        account += 1;
        const fast = pidOf(await runOn(engine, 'fast', backend, 0));
        const slow = runOn(engine, 'fast', sleep(0.5), account);
        // It is sent after the slow one, on the same connection.
        const next = pidOf(await runOn(engine, 'fast', backend, 0));
        return { next: next === fast, slow: pidOf(await slow) === fast };
      };
      await expect.poll(attempt).toEqual({ next: true, slow: false });
    }));

  test('a statement that exceeds the statement timeout is cancelled, and the connection is used again', () =>
    withEngine(async (engine) => {
      const before = pidOf(await runOn(engine, 'slow', backend));
      await expect(runOn(engine, 'slow', sleep(600))).rejects.toMatchObject({
        name: 'StoreUnavailable',
        reason: 'too slow',
      });
      expect(pidOf(await runOn(engine, 'slow', backend))).toBe(before);
    }, 2));

  test('all reads of an account are slow for a while after one that was thought to be fast', () =>
    withEngine(async (engine) => {
      await runOn(engine, 'fast', sleep(0.5), 1);
      const slow = pidOf(await runOn(engine, 'slow', backend));
      expect(pidOf(await runOn(engine, 'fast', backend, 1))).toBe(slow);
      expect(pidOf(await runOn(engine, 'fast', backend, 2))).not.toBe(slow);
    }));

  test('a slow read that is cancelled ends on the server, and its slot is free', () =>
    withEngine(async (engine) => {
      const deadline = new Deadline(Number.POSITIVE_INFINITY);
      const cancelled = engine.slow({ account: 1, cost: 0, deadline }, ({ read }) => read(sleep(600)));
      const running = {
        text: "SELECT count(*)::text AS n FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND state = 'active'",
        parameters: [],
      };
      const count = async () => textOf((await engine.reserved(running))[0] ?? {}, 'n');
      await expect.poll(count).toBe('1');
      deadline.cancel('disconnected');
      await expect(cancelled).rejects.toMatchObject({ name: 'Cancelled', reason: 'disconnected' });
      await expect.poll(count).toBe('0');
      expect(await runOn(engine, 'slow', backend)).toHaveLength(1);
    }));
});

const TERMINATE_OTHERS = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid()`;

test('a single server that is read-only keeps its connections, and writes continue when it allows them', async () => {
  const { url } = await freshDatabase();
  const store = await open(url);
  const account = await addAccount(store, 'one');
  const create = () => store.records.create({ account: account.id }, planned(planCreate(partner, { name: 'A' }, NOW)));
  const setReadOnly = (state: 'on' | 'off') =>
    onPostgres(server, `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = ${state}`);
  await setReadOnly('on');
  await onPostgres(url, TERMINATE_OTHERS);
  await expect.poll(() => create().catch((error: unknown) => error)).toMatchObject({ reason: 'not writable' });
  const { connects } = store.numbers();
  for (let n = 0; n < 3; n += 1) await expect(create()).rejects.toMatchObject({ reason: 'not writable' });
  expect(await store.version(account.id)).toBeDefined();
  expect(store.numbers().connects).toBe(connects);
  await setReadOnly('off');
  expect(await create()).toEqual({ id: 1 });
  expect(store.numbers().connects).toBe(connects);
  await store.close();
});

test('no read hangs if the connections are lost, not even one that was not sent yet', async () => {
  const { url } = await freshDatabase();
  const store = await open(url);
  const account = await addAccount(store, 'one');
  const filters = Array.from({ length: 300 }, (_, n) => ({ filter: `id>${n}${'&list_price>1'.repeat(n % 30)}` }));
  const reads = filters.map((values) =>
    listPage(store, account.id, planned(planList(product, { values, continuations: [] }))),
  );
  const settled = Promise.allSettled(reads);
  await onPostgres(url, TERMINATE_OTHERS);
  for (const outcome of await settled)
    if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(StoreUnavailable);
  expect(
    await listPage(store, account.id, planned(planList(product, { values: {}, continuations: [] }))),
  ).toMatchObject({
    total: 0,
  });
  await store.close();
});

describe('plans', () => {
  let sql: postgres.Sql;
  let store: Store;
  beforeAll(async () => {
    const { url } = await freshDatabase();
    store = await openDatabase(url);
    for (const name of ['one', 'two', 'three']) {
      const account = await addAccount(store, name);
      await load(
        store,
        account,
        product,
        Array.from({ length: 20_000 }, (_, n) => ({ id: n + 1, name: `Product ${n} of ${name}`, list_price: n })),
      );
    }
    sql = postgres(url, { max: 1, onnotice: () => {} });
    await sql.unsafe(`INSERT INTO idempotency_key
      SELECT account, 'partner', md5(n::text), '', n, now() - n * interval '1 minute'
      FROM generate_series(1, 3) AS account, generate_series(1, 2000) AS n`);
    await sql.unsafe('ANALYZE');
  });
  afterAll(async () => {
    await sql.end();
    await store.close();
  });

  interface Node {
    readonly 'Node Type': string;
    readonly 'Relation Name'?: string;
    readonly 'Index Name'?: string;
    readonly 'Index Cond'?: string;
    readonly 'Recheck Cond'?: string;
    readonly Filter?: string;
    readonly Plans?: readonly Node[];
  }
  /** A node, and the types of the nodes above it. */
  interface PlacedNode extends Node {
    readonly above: readonly string[];
  }
  const nodesOf = (node: Node, above: readonly string[] = []): readonly PlacedNode[] => [
    { ...node, above },
    ...(node.Plans ?? []).flatMap((child) => nodesOf(child, [...above, node['Node Type']])),
  ];
  const [short, long] = [PROFILES.reserved, PROFILES.slow].map((profile) =>
    ['RESET ALL', ...Object.entries(profile).map(([name, value]) => `SET ${name} = ${value}`)].join('; '),
  );
  const literal = (value: Parameter) =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
  /** As the program's connections plan it: for any values, or for the given ones if it is slow. */
  const plan = async ({ text, parameters }: Statement, settings = short): Promise<readonly PlacedNode[]> => {
    await sql.unsafe(`${settings}; PREPARE statement AS ${text}`);
    const values = parameters.length === 0 ? '' : `(${parameters.map(literal).join(', ')})`;
    const [row] = await sql.unsafe(`EXPLAIN (FORMAT JSON) EXECUTE statement${values}`);
    await sql.unsafe('DEALLOCATE statement');
    return nodesOf(row?.['QUERY PLAN'][0].Plan);
  };

  const lists = [
    {},
    { filter: 'list_price>5&name*product' },
    { filter: 'name*rare|default_code=x|id[1,2,3]' },
    { filter: 'categ_id!=null', sort: '-name,list_price', page: '7' },
    { filter: 'id=5' },
    { filter: 'create_date>2026-01-01', sort: 'write_date' },
  ];
  const statements: readonly (readonly [string, Statement])[] = catalog.flatMap((resource) => [
    ...lists
      .map(
        (values) =>
          [
            `list ${resource.name} ${JSON.stringify(values)}`,
            planList(resource, { values, continuations: [] }),
          ] as const,
      )
      .flatMap(([name, each]) =>
        each instanceof Problem
          ? []
          : [[name, listStatement({ account: 1, access: 7 }, each, postgresDialect)] as const],
      ),
    [
      `one ${resource.name}`,
      findStatement(
        { account: 1, access: 7 },
        planned(planRecord(resource, '5', { values: {}, continuations: [] })),
        postgresDialect,
      ),
    ] as const,
  ]);
  const created = planned(planCreate(partner, { name: 'x' }, NOW));
  const keyed = { ...created, idempotency: { key: 'k', fingerprint: 'f' } };
  const creates: readonly (readonly [string, Statement])[] = [
    ...[created, keyed].flatMap((each) =>
      createStatements({ account: 1, access: 7 }, partner, [each], postgresDialect).map(
        (statement) => [each === keyed ? 'create with a key' : 'create', statement] as const,
      ),
    ),
    ['find a key', findKeyStatement({ account: 1, access: 7 }, partner, 'k', postgresDialect)],
    ['remove a key', removeExpiredKeyStatement(1, partner, 'k', postgresDialect)],
  ];

  const entering: readonly (readonly [string, Statement])[] = Object.entries(
    enterStatements(1, partner, postgresDialect),
  );

  const conditionsOf = (scan: Node) => [scan['Index Cond'], scan['Recheck Cond'], scan.Filter].join(' ');

  test.each([...statements, ...creates, ...entering])('%s reads rows of one account only', async (_, statement) => {
    for (const [settings, account] of [
      [short, '\\$\\d+'],
      [long, "'1'"],
    ] as const) {
      const scans = (await plan(statement, settings)).filter(
        (node) => /Scan/.test(node['Node Type']) && node['Relation Name'] !== undefined,
      );
      expect(scans.length).toBeGreaterThan(0);
      for (const scan of scans) {
        const table = scan['Relation Name'] ?? '';
        const name = `${scan['Node Type']} on ${table}`;
        switch (table) {
          case 'generation':
            // It belongs to no account. Its latest row is read.
            expect(scan.above, name).toContain('Limit');
            break;
          case 'account':
            expect(conditionsOf(scan), name).toMatch(new RegExp(`\\bid = ${account}`));
            break;
          default:
            expect([
              'ledger',
              'ledger_history',
              'idempotency_key',
              ...catalog.map((resource) => resource.name),
            ]).toContain(table);
            expect(conditionsOf(scan), name).toMatch(new RegExp(`\\baccount_id = ${account}`));
        }
        if (table === 'idempotency_key')
          expect(scan['Index Cond'], name).toMatch(/\baccount_id = .* AND \(+resource = .* AND \(+key_hash (?:=|>) /);
        if (settings === long && table === 'product')
          expect(scan['Index Cond'] ?? scan['Recheck Cond'], name).toMatch(/\baccount_id = '1'/);
      }
    }
  });

  test.each([[[1]], [[1, 2, 3]]])('the versions of the accounts %j are read from their rows only', async (accounts) => {
    const scans = (await plan(versionsStatement(accounts, postgresDialect))).filter((node) =>
      /Scan/.test(node['Node Type']),
    );
    expect(new Set(scans.flatMap((node) => node['Relation Name'] ?? []))).toEqual(new Set(['account', 'ledger']));
    for (const scan of scans.filter((node) => node['Relation Name'] !== undefined)) {
      expect(conditionsOf(scan), scan['Relation Name']).toMatch(/\b(?:account_)?id = (?:ANY \()?\$1/);
    }
  });

  test.each(['categ_id=3', 'name*product'])(
    '%s: the page is found once, even in an account that is newer than the statistics',
    async (filter) => {
      const values = { filter, limit: '100', page: '9' };
      const statement = listStatement(
        { account: 4 },
        planned(planList(product, { values, continuations: [] })),
        postgresDialect,
      );
      for (const settings of [short, long]) {
        const joins = (await plan(statement, settings)).filter((node) => /Loop|Join/.test(node['Node Type']));
        // Of the ledger's row and the page.
        expect(joins).toHaveLength(1);
      }
    },
  );

  test('a search for text without three letters in a row does not use the trigram index', async () => {
    for (const filter of ['name*du', 'name*"- 7"', 'name*%']) {
      const statement = listStatement(
        { account: 1 },
        planned(planList(product, { values: { filter }, continuations: [] })),
        postgresDialect,
      );
      expect((await plan(statement)).filter((node) => node['Index Name']?.endsWith('_search'))).toEqual([]);
    }
  });

  test('a search uses the trigram index, which starts with the account', async () => {
    const statement = listStatement(
      { account: 1 },
      planned(planList(product, { values: { filter: 'name*product 77' }, continuations: [] })),
      postgresDialect,
    );
    const conditionOf = async (settings: string | undefined) =>
      (await plan(statement, settings)).find((node) => node['Index Name'] === 'product_name_fold_search')?.[
        'Index Cond'
      ];
    expect(await conditionOf(short)).toMatch(/account_id = \$\d+.*name_fold ~~ \$\d+/);
    expect(await conditionOf(long)).toMatch(/account_id = '1'.*name_fold ~~ '%product 77%'/);
  });

  test('a wide filter on numbers is counted by an index-only scan', async () => {
    // Index-only scans need pages that were vacuumed.
    await sql.unsafe('VACUUM ANALYZE product');
    const statement = listStatement(
      { account: 1 },
      planned(
        planList(product, { values: { filter: 'list_price>9000&qty_available<5&active=true' }, continuations: [] }),
      ),
      postgresDialect,
    );
    const counting = (await plan(statement, long)).filter((node) => node['Node Type'] === 'Index Only Scan');
    expect(counting).toMatchObject([
      { 'Relation Name': 'product', 'Index Cond': expect.stringMatching(/account_id = '1'/) },
    ]);
  });
});
