import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { partner } from '../../../src/catalog/partner.ts';
import { product } from '../../../src/catalog/product.ts';
import { planCreate } from '../../../src/plan/create.ts';
import { planList } from '../../../src/plan/list.ts';
import { SCHEMA_VERSION } from '../../../src/store/migrations/migrations.ts';
import { findKeyStatement, removeExpiredKeyStatement } from '../../../src/store/sql/idempotency-statements.ts';
import { listStatement } from '../../../src/store/sql/list-statements.ts';
import { createStatements } from '../../../src/store/sql/record-statements.ts';
import { textOf } from '../../../src/store/sql/row.ts';
import type { Statement } from '../../../src/store/sql/statement.ts';
import { Connection } from '../../../src/store/sqlite/connection.ts';
import { sqliteDialect } from '../../../src/store/sqlite/dialect.ts';
import { openSqlite as openWith, type SqliteOptions } from '../../../src/store/sqlite/open.ts';
import { CacheBudget } from '../../../src/store/state/cache.ts';
import type { Store } from '../../../src/store/store.ts';
import { StoreUnavailable, UnusableDatabase } from '../../../src/store/store-error.ts';
import { addAccount, listPage, load, NOW, planned, recordsIn } from '../../support/fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'stockbook-sqlite-'));
afterAll(() => rmSync(folder, { recursive: true }));

const openSqlite = (path: string, options: SqliteOptions) => openWith(path, options, new CacheBudget(1024 * 1024));

let files = 0;
function freshPath(): string {
  files += 1;
  return join(folder, `${files}.db`);
}

test.skipIf(process.platform === 'win32')('nobody else may read a new file and its log', async () => {
  const path = freshPath();
  const store = openSqlite(path, { create: true });
  for (const file of [path, `${path}-wal`]) expect(statSync(file).mode & 0o777).toBe(0o600);
  await store.close();
});

test.each([true, false])('a log without its file is not touched (create: %s)', async (create) => {
  const path = freshPath();
  writeFileSync(`${path}-wal`, 'committed');
  expect(() => openSqlite(path, { create })).toThrow('Put the file back, or restore a backup');
  expect([existsSync(path), readFileSync(`${path}-wal`, 'utf8')]).toEqual([false, 'committed']);
});

describe('a connection', () => {
  test('uses a write-ahead log, syncs every commit, enforces foreign keys and waits for locks', () => {
    const connection = new Connection(freshPath(), { create: true });
    const pragma = (name: string) =>
      Object.values(connection.read({ text: `PRAGMA ${name}`, parameters: [] })[0] ?? {})[0];
    expect({
      journal: pragma('journal_mode'),
      synchronous: pragma('synchronous'),
      keys: pragma('foreign_keys'),
      busy: pragma('busy_timeout'),
    }).toEqual({
      journal: 'wal',
      synchronous: 2,
      keys: 1,
      busy: 5_000,
    });
    connection.close();
  });

  test('rolls a write back if a statement fails its expectation', () => {
    const connection = new Connection(freshPath(), { create: true });
    connection.execute('CREATE TABLE t (x INTEGER UNIQUE)');
    const insert = (x: number) => ({ text: 'INSERT INTO t VALUES (?1)', parameters: [x] });
    const rows = () => connection.read({ text: 'SELECT x FROM t ORDER BY x', parameters: [] }).map((row) => row['x']);
    const select = (x: number, expected: 'some' | 'none') => ({
      text: 'SELECT x FROM t WHERE x = ?1',
      parameters: [x],
      expect: expected,
    });
    expect(connection.write([insert(1), select(1, 'some')]).isCommitted).toBe(true);
    expect(connection.write([insert(2), select(3, 'some')])).toEqual({ isCommitted: false, rows: [[], []] });
    expect(connection.write([insert(3), select(1, 'none'), insert(4)])).toMatchObject({
      isCommitted: false,
      rows: [[], [{ x: 1 }]],
    });
    expect(() => connection.write([insert(5), insert(1)])).toThrow();
    expect(connection.write([insert(6)]).isCommitted).toBe(true);
    expect(rows()).toEqual([1, 6]);
    connection.close();
  });
});

describe('opening', () => {
  test('creates the directory and the file if allowed, and reports a missing file otherwise', async () => {
    const path = join(folder, 'deep', 'er', 'stock.db');
    expect(() => openSqlite(path, { create: false })).toThrow(UnusableDatabase);
    await openSqlite(path, { create: true }).close();
    await openSqlite(path, { create: false }).close();
  });

  test.each([
    [
      'a file that is not a database',
      (path: string) => writeFileSync(path, 'some text that goes on and on'.repeat(50)),
      /not a SQLite database/,
    ],
    ['a directory', (path: string) => mkdirSync(path), /is a directory\. Name a file/],
  ])('%s is refused', (_, prepare, message) => {
    const path = freshPath();
    prepare(path);
    expect(() => openSqlite(path, { create: true })).toThrow(UnusableDatabase);
    expect(() => openSqlite(path, { create: true })).toThrow(message);
  });

  test('a file inside a file is refused', () => {
    const path = freshPath();
    writeFileSync(path, '');
    expect(() => openSqlite(join(path, 'stock.db'), { create: true })).toThrow(UnusableDatabase);
  });

  test('a database of a newer version is refused', async () => {
    const path = freshPath();
    await openSqlite(path, { create: true }).close();
    const database = new DatabaseSync(path);
    database.exec(`INSERT INTO migration VALUES (${SCHEMA_VERSION + 1}, 'from the future', '2030-01-01')`);
    expect(() => openSqlite(path, { create: true })).toThrow(/newer Stockbook/);
    expect(() => openSqlite(path, { create: true })).toThrow(UnusableDatabase);
    database.close();
  });

  test('an open database is no longer read once a newer version has migrated it', async () => {
    const path = freshPath();
    const store = openSqlite(path, { create: true });
    const { id } = await addAccount(store, 'acme');
    expect(await store.version(id)).toBeDefined();
    const database = new DatabaseSync(path);
    database.exec(`INSERT INTO migration VALUES (${SCHEMA_VERSION + 1}, 'from the future', '2030-01-01')`);
    database.close();
    await expect(async () => store.version(id)).rejects.toThrow(/newer Stockbook/);
    await expect(store.checkReadiness()).rejects.toThrow(UnusableDatabase);
    await store.close();
  });

  test('a write that waits while a newer version migrates the database is not made', async () => {
    const path = freshPath();
    const store = openSqlite(path, { create: true });
    // Starts the thread that writes.
    await addAccount(store, 'first');
    const newer = new DatabaseSync(path);
    newer.exec('BEGIN IMMEDIATE');
    newer.exec(`INSERT INTO migration VALUES (${SCHEMA_VERSION + 1}, 'from the future', '2030-01-01')`);
    const written = expect(addAccount(store, 'second')).rejects.toThrow(/newer Stockbook/);
    // By the next turn but one, the write has been sent to the thread.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    newer.exec('COMMIT');
    await written;
    expect(newer.prepare('SELECT name FROM account').all()).toEqual([{ name: 'first' }]);
    newer.close();
    await store.close();
  });

  test('records each migration once', async () => {
    const path = freshPath();
    await openSqlite(path, { create: true }).close();
    await openSqlite(path, { create: true }).close();
    const database = new DatabaseSync(path);
    expect(database.prepare('SELECT number FROM migration').all()).toHaveLength(SCHEMA_VERSION);
    database.close();
  });
});

describe('the search index', () => {
  const create = (store: Store, account: number, count: number) =>
    Promise.all(
      Array.from({ length: count }, () =>
        store.records.create({ account }, planned(planCreate(partner, { name: 'Azure Interior' }, NOW))),
      ),
    );
  const found = async (store: Store, account: number, text: string) => {
    const plan = planned(planList(partner, { values: { filter: `name*${text}`, fields: 'id' }, continuations: [] }));
    const page = await listPage(store, account, plan);
    return { total: page?.total, first: recordsIn(page?.records ?? '')[0]?.['id'] };
  };
  const indexed = (path: string) => {
    const database = new DatabaseSync(path, { readOnly: true });
    const { count } = database.prepare('SELECT count(*) AS count FROM partner_search_docsize').get() ?? {};
    database.close();
    return count;
  };

  test('takes in 250 records at a time, and drops removed ones', async () => {
    const path = freshPath();
    const store = openSqlite(path, { create: true });
    const account = await addAccount(store, 'acme');
    await create(store, account.id, 249);
    expect(indexed(path)).toBe(0);
    expect(await found(store, account.id, 'azure')).toEqual({ total: 249, first: 1 });
    await create(store, account.id, 2);
    expect(indexed(path)).toBe(250);
    expect(await found(store, account.id, 'azure')).toEqual({ total: 251, first: 1 });
    await load(
      store,
      account,
      partner,
      [1, 251].map((number) => ({ id: number, name: 'Deco Addict' })),
    );
    // An import adds what is missing.
    expect(indexed(path)).toBe(251);
    expect(await found(store, account.id, 'azure')).toEqual({ total: 249, first: 2 });
    expect(await found(store, account.id, 'deco')).toEqual({ total: 2, first: 1 });
    await store.accounts.remove(account.id);
    expect(indexed(path)).toBe(0);
    await store.close();
  });

  test('is searched within one account, together with its newest records', async () => {
    const explain = await explainer();
    for (const filter of ['name*azure', 'name!*azure', 'name*azure&email*example', 'name*azure|city=Liège']) {
      const plan = planned(planList(partner, { values: { filter }, continuations: [] }));
      const steps = explain(listStatement({ account: 1 }, plan, sqliteDialect));
      expect(steps).toContain('SEARCH partner USING PRIMARY KEY (account_id=? AND id>?)');
      expect(steps.filter((step) => /^SCAN (?:partner\b|ledger)(?! VIRTUAL)/.test(step))).toEqual([]);
    }
  });

  test('cannot hold accounts past 2^23, so all of their records are searched', async () => {
    const path = freshPath();
    const store = openSqlite(path, { create: true });
    await create(store, (await addAccount(store, 'first')).id, 251);
    const database = new DatabaseSync(path);
    // In the index, this account would have the row ids of the first one.
    database.exec(`UPDATE counter SET value = ${2 ** 24}`);
    database.close();
    const { id } = await addAccount(store, 'far');
    expect(id).toBe(2 ** 24 + 1);
    await load(store, { id }, partner, [
      { id: 1, name: 'Deco Addict' },
      { id: 2, name: 'Azure Interior' },
    ]);
    expect(await found(store, id, 'azure')).toEqual({ total: 1, first: 2 });
    await store.close();
  });
});

/** The steps of a statement's query plan, on an empty database. */
async function explainer(): Promise<(statement: Statement) => readonly string[]> {
  const path = freshPath();
  await openSqlite(path, { create: true }).close();
  const connection = new Connection(path);
  onTestFinished(() => connection.close());
  return ({ text, parameters }) =>
    connection.read({ text: `EXPLAIN QUERY PLAN ${text}`, parameters }).map((step) => textOf(step, 'detail'));
}

test('a list reads through the index that was chosen for it, and no other', async () => {
  const explain = await explainer();
  for (const [filter, index] of [
    ['categ_id=7&product_tmpl_id=9', 'product_categ_id'],
    ['list_price=0&default_code=x', 'product_default_code'],
    ['id=3&name*chair', 'PRIMARY KEY'],
    ['name!*chair&default_code=x', 'product_default_code'],
    ['list_price=0&name*chair', undefined],
  ] as const) {
    const plan = planned(planList(product, { values: { filter }, continuations: [] }));
    const operands = plan.where !== undefined && 'operands' in plan.where ? plan.where.operands : [];
    const leading = operands.filter(
      (one) => 'field' in one && ['categ_id', 'default_code', 'id'].includes(one.field.name),
    );
    const steps = explain(listStatement({ account: 1 }, plan, sqliteDialect, undefined, new Set(leading)));
    const searches = steps.filter((step) => / product(?:_search)? /.test(step));
    expect(searches.length).toBeGreaterThan(0);
    for (const search of searches)
      expect(search).toMatch(
        index === undefined ? /PRIMARY KEY \(account_id=\?/ : new RegExp(`${index} \\(account_id=\\? AND `),
      );
  }
});

test('idempotency keys are found, and expired ones removed, through an index', async () => {
  const explain = await explainer();
  const plan = { ...planned(planCreate(partner, { name: 'A' }, NOW)), idempotency: { key: 'K', fingerprint: 'F' } };
  const statements = [
    ...createStatements({ account: 1, access: 7 }, partner, [plan], { records: 0, bytes: 0 }, sqliteDialect),
    findKeyStatement({ account: 1, access: 7 }, partner, 'K', sqliteDialect),
    removeExpiredKeyStatement(1, partner, 'K', sqliteDialect),
  ];
  const steps = statements.flatMap(explain).filter((step) => step.includes('idempotency_key'));
  expect(steps).toHaveLength(4);
  for (const step of steps)
    expect(step).toMatch(/^SEARCH .* PRIMARY KEY \(account_id=\? AND resource=\? AND key_hash[=>]\?\)/);
});

describe('while another process writes', () => {
  test('reads continue, and writes wait up to a timeout', async () => {
    const path = freshPath();
    const store = openSqlite(path, { create: true });
    const { id } = await addAccount(store, 'acme');
    const plan = planned(planCreate(partner, { name: 'A' }, NOW));
    const list = planned(planList(partner, { values: {}, continuations: [] }));

    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const waiting = store.records.create({ account: id }, plan);
    expect(await listPage(store, id, list)).toMatchObject({ total: 0 });
    other.exec('COMMIT');
    expect(await waiting).toEqual({ id: 1 });
    expect(await listPage(store, id, list)).toMatchObject({ total: 1 });

    other.exec('BEGIN IMMEDIATE');
    const tooLong = store.records.create({ account: id }, plan);
    // By the next turn but one, the first has been sent to the thread, and this one waits for it.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    const behind = store.records.create({ account: id }, plan);
    const failedTogether = Promise.race([behind, tooLong.catch(() => new Promise((resolve) => setImmediate(resolve)))]);
    await expect(tooLong).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(failedTogether).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(tooLong).rejects.toMatchObject({ retryAfter: 1 });
    other.exec('ROLLBACK');
    expect(await store.records.create({ account: id }, plan)).toEqual({ id: 2 });
    other.close();
    await store.close();
  });
});
