import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { planCreate } from '../../src/plan/create.ts';
import { planList } from '../../src/plan/list.ts';
import { Problem } from '../../src/problem/problem.ts';
import { SCHEMA_VERSION } from '../../src/store/sql/migrations.ts';
import { Connection } from '../../src/store/sqlite/connection.ts';
import { openSqlite } from '../../src/store/sqlite/open.ts';
import { StoreUnavailable, UnusableDatabase } from '../../src/store/store-error.ts';
import { addAccount, listPage, NOW } from '../support/fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'stockbook-sqlite-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
function freshPath(): string {
  files += 1;
  return join(folder, `${files}.db`);
}

function planned<Plan>(plan: Plan | Problem): Plan {
  if (plan instanceof Problem) throw new Error(plan.detail);
  return plan;
}

describe('a connection', () => {
  test('writes ahead, waits for the disk, keeps foreign keys and waits for a lock', () => {
    const connection = new Connection(freshPath(), 'write');
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

  test('gives the statements of a write back where one does not return what was expected', () => {
    const connection = new Connection(freshPath(), 'write');
    connection.execute('CREATE TABLE t (x INTEGER UNIQUE)');
    const insert = (x: number) => ({ text: 'INSERT INTO t VALUES (?1)', parameters: [x] });
    const rows = () => connection.read({ text: 'SELECT x FROM t ORDER BY x', parameters: [] }).map((row) => row['x']);
    const select = (x: number, expected: 'some' | 'none') => ({
      text: 'SELECT x FROM t WHERE x = ?1',
      parameters: [x],
      expect: expected,
    });
    expect(connection.write([insert(1), select(1, 'some')]).written).toBe(true);
    expect(connection.write([insert(2), select(3, 'some')])).toEqual({ written: false, rows: [[], []] });
    expect(connection.write([insert(3), select(1, 'none'), insert(4)])).toMatchObject({
      written: false,
      rows: [[], [{ x: 1 }]],
    });
    expect(() => connection.write([insert(5), insert(1)])).toThrow();
    expect(connection.write([insert(6)]).written).toBe(true);
    expect(rows()).toEqual([1, 6]);
    connection.close();
  });
});

describe('opening', () => {
  test('makes the folder and the file where it may, and says so where it may not', async () => {
    const path = join(folder, 'deep', 'er', 'stock.db');
    expect(() => openSqlite(path, { create: false })).toThrow(UnusableDatabase);
    await openSqlite(path, { create: true }).close();
    await openSqlite(path, { create: false }).close();
  });

  test.each([
    [
      'a file that is no database',
      (path: string) => writeFileSync(path, 'hello, I am a text file, and a long one at that'.repeat(50)),
      /not a SQLite database/,
    ],
    ['a folder', (path: string) => mkdirSync(path), /cannot be opened/],
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

  test('a database of a newer program is refused and left as it is', async () => {
    const path = freshPath();
    await openSqlite(path, { create: true }).close();
    const database = new DatabaseSync(path);
    database.exec(`INSERT INTO migration VALUES (${SCHEMA_VERSION + 1}, 'from the future', '2030-01-01')`);
    expect(() => openSqlite(path, { create: true })).toThrow(/newer Stockbook/);
    expect(() => openSqlite(path, { create: true })).toThrow(UnusableDatabase);
    database.close();
  });

  test('notes each migration once', async () => {
    const path = freshPath();
    await openSqlite(path, { create: true }).close();
    await openSqlite(path, { create: true }).close();
    const database = new DatabaseSync(path);
    expect(database.prepare('SELECT number FROM migration').all()).toHaveLength(SCHEMA_VERSION);
    database.close();
  });
});

describe('beside another process that writes', () => {
  test('reads go on, and writes wait, up to a time', async () => {
    const path = freshPath();
    const store = openSqlite(path, { create: true });
    const { id } = await addAccount(store, 'acme');
    const plan = planned(planCreate(partner, { name: 'A' }, NOW));
    const list = planned(planList(partner, { values: {}, continuations: [] }));

    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    const waiting = store.records.create(id, plan);
    expect(await listPage(store, id, list)).toMatchObject({ total: 0 });
    other.exec('COMMIT');
    expect(await waiting).toEqual({ id: 1 });
    expect(await listPage(store, id, list)).toMatchObject({ total: 1 });

    other.exec('BEGIN IMMEDIATE');
    const tooLong = store.records.create(id, plan);
    await expect(tooLong).rejects.toBeInstanceOf(StoreUnavailable);
    await expect(tooLong).rejects.toMatchObject({ retryAfter: 1 });
    other.exec('ROLLBACK');
    expect(await store.records.create(id, plan)).toEqual({ id: 2 });
    other.close();
    await store.close();
  });
});
