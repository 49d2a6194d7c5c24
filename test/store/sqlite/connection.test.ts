/** Connections: their settings, and what they do while another process writes. */

import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { partner } from '../../../src/catalog/partner.ts';
import { planCreate } from '../../../src/plan/create.ts';
import { planList } from '../../../src/plan/list.ts';
import { Connection } from '../../../src/store/sqlite/connection.ts';
import { openSqlite as openWith, type SqliteOptions } from '../../../src/store/sqlite/open.ts';
import { CacheBudget } from '../../../src/store/state/cache.ts';
import { StoreUnavailable } from '../../../src/store/store-error.ts';
import { addAccount, listPage, NOW, planned } from '../../support/fixture.ts';
import { sharedPaths } from '../../support/shared.ts';

const openSqlite = (path: string, options: SqliteOptions) => openWith(path, options, new CacheBudget(1024 * 1024));

const freshPath = sharedPaths();

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
    }).toEqual({ journal: 'wal', synchronous: 2, keys: 1, busy: 5_000 });
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
    // By the next iteration but one, the first has been sent to the thread, and this one waits for it.
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
