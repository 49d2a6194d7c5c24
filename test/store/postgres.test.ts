import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { catalog } from '../../src/catalog/catalog.ts';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { planCreate } from '../../src/plan/create.ts';
import { planList } from '../../src/plan/list.ts';
import { planRecord } from '../../src/plan/record.ts';
import { Problem } from '../../src/problem/problem.ts';
import { readDatabase, showDatabase } from '../../src/store/database.ts';
import { openStore } from '../../src/store/open.ts';
import { Cluster } from '../../src/store/postgres/cluster.ts';
import { postgresDialect } from '../../src/store/postgres/dialect.ts';
import { PostgresEngine } from '../../src/store/postgres/engine.ts';
import { SESSIONS } from '../../src/store/postgres/pool.ts';
import { PreparedTexts } from '../../src/store/postgres/prepared-texts.ts';
import { readPostgresUrl } from '../../src/store/postgres/url.ts';
import type { Parameter } from '../../src/store/sql/dialect.ts';
import { migrations, migrationTable, SCHEMA_VERSION, type Upgrade } from '../../src/store/sql/migrations.ts';
import {
  createStatements,
  findStatement,
  ledgerStatement,
  listStatement,
} from '../../src/store/sql/record-statements.ts';
import { type Row, textOf } from '../../src/store/sql/row.ts';
import { stampsStatement } from '../../src/store/sql/stamps.ts';
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
  if (database === undefined) throw new Error(`${url} is no database`);
  return openStore(database, { create: true, poolSize: 3, statementTimeout: 20, ...options });
}

describe('the address', () => {
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
  ])('%s is none', (text) => {
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
  ])('%s is none, and nothing of it is shown', (text) => {
    expect(readDatabase(text)).toBeUndefined();
    expect(showDatabase(text)).toBe('postgres://***');
  });
});

describe('opening', () => {
  test('many nodes that start at once migrate once', async () => {
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
    await execute(migrationTable(postgresDialect));
    for (const { number, statements } of migrations.filter(({ number }) => number <= version)) {
      for (const statement of statements(postgresDialect)) await execute(statement);
      await execute(`INSERT INTO migration VALUES (${number}, 'earlier', now())`);
    }
    return url;
  };

  test('a database of an older program is brought up to date, and that is told', async () => {
    const url = await databaseOf(3);
    const upgrades: Upgrade[] = [];
    for (const _ of ['the first time', 'not again'])
      await (await open(url, { onUpgrade: (upgrade) => upgrades.push(upgrade) })).close();
    expect(upgrades).toEqual([{ from: 3, to: SCHEMA_VERSION }]);
  });

  test('indexes that others take the place of go without holding up a read, whatever export is under way', async () => {
    const url = await databaseOf(4);
    const sql = postgres(url, { max: 3, onnotice: () => {} });
    const exporting = await sql.reserve();
    await exporting.unsafe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM product');
    const opening = open(url);
    const versions = () => sql`SELECT max(number)::int AS number FROM migration`;
    await expect.poll(async () => (await versions())[0]?.['number']).toBe(SCHEMA_VERSION);
    await setTimeout(200);
    expect(await sql.unsafe("SET lock_timeout = '100ms'; SELECT id FROM product")).toBeDefined();
    await exporting.unsafe('COMMIT');
    exporting.release();
    await (await opening).close();
    const indexes = await sql`SELECT indexname FROM pg_indexes WHERE indexname LIKE 'product_list_price%'`;
    expect(indexes.map(({ indexname }) => indexname)).toEqual(['product_list_price_covering']);
    await sql.end();
  });

  describe('references that are needed no more', () => {
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

    test('go without holding up a read for long, whatever export is under way', async () => {
      const { sql, references, exporting, opening } = await besideExport();
      const waiting = () => sql`SELECT 1 FROM pg_locks WHERE relation = 'product'::regclass AND NOT granted`;
      await expect.poll(waiting, { interval: 5, timeout: 5_000 }).toHaveLength(1);
      await sql.unsafe("SET lock_timeout = '500ms'; SELECT id FROM product");
      await exporting.unsafe('COMMIT');
      exporting.release();
      await (await opening).close();
      expect(await references()).toEqual(['api_key']);
      await sql.end();
    });

    test('stay where they cannot be had for a moment, and the database opens', async () => {
      const { sql, references, exporting, opening } = await besideExport();
      const store = await opening;
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

    test('stay with the version before, where whoever opens the database may not change its tables', async () => {
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

  test('a database of a newer program is refused', async () => {
    const { url, execute } = await freshDatabase();
    await (await openDatabase(url)).close();
    await execute(`INSERT INTO migration VALUES (${SCHEMA_VERSION + 1}, 'from the future', now())`);
    await expect(openDatabase(url)).rejects.toThrow(/newer Stockbook/);
  });

  test('a database of another encoding is refused', async () => {
    await onPostgres(
      server,
      "CREATE DATABASE test_latin1 TEMPLATE template0 ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C'",
    );
    const url = server.replace(/\/[^/]*$/, '/test_latin1');
    await expect(openDatabase(url)).rejects.toThrow(UnusableDatabase);
    await expect(openDatabase(url)).rejects.toThrow(/ENCODING 'UTF8'/);
    await onPostgres(server, 'DROP DATABASE test_latin1');
  });

  test('a database that is not there, and a server that is not there, are told apart', async () => {
    await expect(openDatabase(server.replace(/\/[^/]*$/, '/nowhere'))).rejects.toThrow(/no such database/);
    await expect(openDatabase('postgres://u@127.0.0.1:1/x')).rejects.toBeInstanceOf(StoreUnavailable);
  });
});

test('doubles come back to the last bit, whatever the database is set to', async () => {
  const { url, execute } = await freshDatabase();
  await execute(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET extra_float_digits = -5`);
  const store = await openDatabase(url);
  const account = await addAccount(store, 'acme');
  await load(store, account, product, [{ id: 1, name: 'A', list_price: 0.1 + 0.2 }]);
  const page = await listPage(store, account.id, planned(planList(product, { values: {}, continuations: [] })));
  expect(page && recordsIn(page.records)[0]?.['list_price']).toBe(0.1 + 0.2);
  await store.close();
});

test('extensions in a schema of their own are used', async () => {
  const { url, execute } = await freshDatabase();
  await execute(
    'CREATE SCHEMA extensions; CREATE EXTENSION pg_trgm SCHEMA extensions; CREATE EXTENSION btree_gin SCHEMA extensions',
  );
  await (await openDatabase(url)).close();
  const sql = postgres(url, { max: 1 });
  expect(await sql`SELECT 1 FROM pg_indexes WHERE indexname = 'product_name_fold_search'`).toHaveLength(1);
  await sql.end();
});

describe('rights', () => {
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

  test('without the right to make extensions, searching works all the same', async () => {
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
    expect(await store.records.create(account.id, planned(planCreate(partner, { name: 'A' }, NOW)))).toEqual({ id: 1 });
    expect(await load(store, account, partner, [{ id: 1, name: 'B' }, { name: 'C' }])).toEqual({
      kind: 'loaded',
      created: 1,
      updated: 1,
      unchanged: 0,
      removed: 0,
      leftOut: [],
    });
    await store.close();
  });

  test('a role that may not do something is told what it lacks', async () => {
    const { url, execute } = await freshDatabase();
    const name = new URL(url).pathname.slice(1);
    await execute(`CREATE ROLE ${name}_guest LOGIN; REVOKE CREATE ON SCHEMA public FROM PUBLIC`);
    await expect(open(url.replace(/\/\/[^@]*@/, `//${name}_guest@`))).rejects.toThrow(/docs\/postgresql\.md/);
  });
});

// Authentication is over, and the server is ready for a query: https://www.postgresql.org/docs/current/protocol-flow.html
const WELCOME = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I');

test.each([
  ['takes the connection and says nothing', () => {}],
  ['lets us in and says nothing more', (socket: Socket) => socket.once('data', () => socket.write(WELCOME))],
])('a server that %s counts as not reachable after the connect timeout', async (_, greet) => {
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

describe('which statements are prepared', () => {
  test('those that come a second time', () => {
    const texts = new PreparedTexts();
    expect([texts.has('a'), texts.has('b'), texts.has('a'), texts.has('a')]).toEqual([false, false, true, true]);
  });

  test('so many and no more: those that were first stay', () => {
    const texts = new PreparedTexts();
    const prepared = Array.from({ length: 300 }, (_, n) => [texts.has(`${n}`), texts.has(`${n}`)][1]);
    expect(prepared.filter(Boolean)).toHaveLength(256);
    expect([texts.has('0'), texts.has('255'), texts.has('256')]).toEqual([true, true, false]);
  });
});

/** Its processes can only be held where they run. */
const isElsewhere = process.env['STOCKBOOK_TEST_POSTGRES'] !== undefined;

test.skipIf(isElsewhere)('a server that falls silent in the middle is given up, and found again', async () => {
  const { url } = await freshDatabase();
  const store = await open(`${url}?connect_timeout=1`, { statementTimeout: 1 });
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

test('a statement that takes too long is given up', async () => {
  const { url } = await freshDatabase();
  const store = await open(url, { statementTimeout: 1 });
  const { id } = await addAccount(store, 'acme');
  const sql = postgres(url, { max: 1 });
  await sql.unsafe('BEGIN; LOCK TABLE product IN ACCESS EXCLUSIVE MODE');
  const listed = listPage(store, id, planned(planList(product, { values: { filter: 'name=a' }, continuations: [] })));
  await expect(listed).rejects.toMatchObject({ name: 'StoreUnavailable', reason: 'too slow' });
  await sql.end();
  expect(await listPage(store, id, planned(planList(product, { values: {}, continuations: [] })))).toMatchObject({
    total: 0,
  });
  await store.close();
});

test('a read waits no more than a second for a table that is being changed', async () => {
  const { url } = await freshDatabase();
  const store = await open(url);
  const { id } = await addAccount(store, 'acme');
  const sql = postgres(url, { max: 1 });
  await sql.unsafe('BEGIN; LOCK TABLE product IN ACCESS EXCLUSIVE MODE');
  const listed = listPage(store, id, planned(planList(product, { values: { filter: 'name=a' }, continuations: [] })));
  await expect(listed).rejects.toMatchObject({ name: 'StoreUnavailable', reason: 'busy' });
  await sql.end();
  await store.close();
});

test('what was presumed before the server was lost lets nothing be created on the one that is found', async () => {
  const { url } = await freshDatabase();
  const store = await open(url);
  const { id } = await addAccount(store, 'acme');
  const plan = planned(planCreate(partner, { name: 'A' }, NOW));
  const stamp = await store.stamp(id);
  expect(await store.records.create(id, plan, stamp)).toEqual({ id: 1 });
  await onPostgres(
    url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
  await setTimeout(300);
  expect(await store.records.create(id, plan, stamp)).toBe('not as presumed');
  expect(await store.records.create(id, plan, await store.stamp(id))).toEqual({ id: 2 });
  await store.close();
});

describe('short statements', () => {
  const reading = async (body: (engine: PostgresEngine) => Promise<void>, statementTimeout = 20) => {
    const { url } = await freshDatabase();
    const address = readPostgresUrl(url);
    if (address === undefined) throw new Error(`${url} is no address`);
    const engine = new PostgresEngine(new Cluster(address, { poolSize: 3, statementTimeout }));
    await body(engine).finally(() => engine.close());
  };
  const backend = { text: 'SELECT pg_backend_pid()::text AS pid', parameters: [] };
  const sleep = (seconds: number) => ({ text: 'SELECT pg_sleep($1::double precision)', parameters: [seconds] });
  const pidOf = (rows: readonly Row[]) => rows.map((row) => textOf(row, 'pid'))[0];

  test('share one connection; those that take long have others', () =>
    reading(async (engine) => {
      // From the second time on they are prepared.
      await engine.read(backend);
      const short = await Promise.all(Array.from({ length: 20 }, () => engine.read(backend)));
      expect(new Set(short.map(pidOf)).size).toBe(1);
      const long = await engine.read(backend, 'long');
      expect(pidOf(long)).not.toBe(pidOf(short[0] ?? []));
    }));

  test.each(['short', 'long'] as const)('%s, come on connections with the settings that they are to have', (effort) =>
    reading(async (engine) => {
      const settings = {
        ...SESSIONS[effort],
        statement_timeout: 0,
        jit: 'off',
        TimeZone: 'UTC',
        extra_float_digits: 1,
      };
      for (const [name, value] of Object.entries(settings)) {
        const asked = { text: 'SELECT setting, source FROM pg_settings WHERE name = $1::text', parameters: [name] };
        await engine.read(asked, effort);
        const [row] = await engine.read(asked, effort);
        expect(row && { name, setting: textOf(row, 'setting'), source: textOf(row, 'source') }).toEqual({
          name,
          setting: String(value),
          source: 'client',
        });
      }
    }, 0),
  );

  test('go round one that turns out to take long', () =>
    reading(async (engine) => {
      for (const each of [backend, sleep(0)]) await engine.read(each);
      const before = pidOf(await engine.read(backend));
      let isOver = false;
      const slow = engine.read(sleep(1)).then(() => {
        isOver = true;
      });
      await setTimeout(100);
      expect(pidOf(await engine.read(backend))).not.toBe(before);
      await engine.check();
      expect(isOver).toBe(false);
      await slow;
      expect(pidOf(await engine.read(backend))).toBe(before);
    }));
});

test('no read waits for ever where the connections are lost, not even one that was not sent yet', async () => {
  const { url } = await freshDatabase();
  const store = await open(url);
  const account = await addAccount(store, 'one');
  const filters = Array.from({ length: 300 }, (_, n) => ({ filter: `id>${n}${'&list_price>1'.repeat(n % 30)}` }));
  const reads = filters.map((values) =>
    listPage(store, account.id, planned(planList(product, { values, continuations: [] }))),
  );
  const settled = Promise.allSettled(reads);
  await onPostgres(
    url,
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  );
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
  const nodesOf = (node: Node): readonly Node[] => [node, ...(node.Plans ?? []).flatMap(nodesOf)];
  const [short, long] = [SESSIONS.short, SESSIONS.long].map((session) =>
    ['RESET ALL', ...Object.entries(session).map(([name, value]) => `SET ${name} = ${value}`)].join('; '),
  );
  const literal = (value: Parameter) =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
  /** As it is planned on the connections of the program: for whatever values, or for its own where it takes long. */
  const plan = async ({ text, parameters }: Statement, settings = short): Promise<readonly Node[]> => {
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
        each instanceof Problem ? [] : [[name, listStatement(1, each, postgresDialect)] as const],
      ),
    [
      `one ${resource.name}`,
      findStatement(1, planned(planRecord(resource, '5', { values: {}, continuations: [] })), postgresDialect),
    ] as const,
    [`ledger of ${resource.name}`, ledgerStatement(1, resource, postgresDialect)] as const,
  ]);
  const creates = createStatements(
    1,
    partner,
    [planned(planCreate(partner, { name: 'x' }, NOW)).values],
    postgresDialect,
  ).map((each, n) => [`create ${n}`, each] as const);

  test.each([...statements, ...creates])('%s reads rows of one account only', async (_, statement) => {
    for (const settings of [short, long]) {
      const scans = (await plan(statement, settings)).filter(
        (node) => /Scan|Modify/.test(node['Node Type']) && node['Relation Name'] !== undefined,
      );
      expect(scans.length).toBeGreaterThan(0);
      for (const scan of scans.filter((node) => /Scan/.test(node['Node Type']))) {
        const conditions = [scan['Index Cond'], scan['Recheck Cond'], scan.Filter].join(' ');
        const name = `${scan['Node Type']} on ${scan['Relation Name']}`;
        expect(conditions, name).toMatch(settings === short ? /\baccount_id = \$\d+/ : /\baccount_id = '1'/);
        if (settings === long && scan['Relation Name'] === 'product')
          expect(scan['Index Cond'] ?? scan['Recheck Cond'], name).toMatch(/\baccount_id = '1'/);
      }
    }
  });

  test.each([[[1]], [[1, 2, 3]]])('a look at the revisions of the accounts %j reads theirs only', async (accounts) => {
    const scans = (await plan(stampsStatement(accounts, postgresDialect))).filter((node) =>
      /Scan/.test(node['Node Type']),
    );
    expect(new Set(scans.flatMap((node) => node['Relation Name'] ?? []))).toEqual(new Set(['account', 'ledger']));
    for (const scan of scans.filter((node) => node['Relation Name'] !== undefined)) {
      const conditions = [scan['Index Cond'], scan['Recheck Cond'], scan.Filter].join(' ');
      expect(conditions, scan['Relation Name']).toMatch(/\b(?:account_)?id = (?:ANY \()?\$1/);
    }
  });

  test.each(['categ_id=3', 'name*product'])('%s finds its page once, in an account that is new', async (filter) => {
    const values = { filter, limit: '100', page: '9' };
    const statement = listStatement(4, planned(planList(product, { values, continuations: [] })), postgresDialect);
    for (const settings of [short, long]) {
      const joins = (await plan(statement, settings)).filter((node) => /Loop|Join/.test(node['Node Type']));
      // That of the ledger's row and the page.
      expect(joins).toHaveLength(1);
    }
  });

  test('a text without three letters in a row is not looked for in it', async () => {
    for (const filter of ['name*du', 'name*"- 7"', 'name*%']) {
      const statement = listStatement(
        1,
        planned(planList(product, { values: { filter }, continuations: [] })),
        postgresDialect,
      );
      expect((await plan(statement)).filter((node) => node['Index Name']?.endsWith('_search'))).toEqual([]);
    }
  });

  test('searching uses the trigram index, led by the account', async () => {
    const statement = listStatement(
      1,
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

  test('a wide filter on numbers is counted in an index alone', async () => {
    // Only of pages that a vacuum has seen can an index tell alone.
    await sql.unsafe('VACUUM ANALYZE product');
    const statement = listStatement(
      1,
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
