/** Opening a SQLite file: one that is new, missing, locked away, or of another version. */

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { SCHEMA_VERSION } from '../../../src/store/migrations/migrations.ts';
import { openSqlite as openWith, type SqliteOptions } from '../../../src/store/sqlite/open.ts';
import { CacheBudget } from '../../../src/store/state/cache.ts';
import { UnusableDatabase } from '../../../src/store/store-error.ts';
import { addAccount } from '../../support/fixture.ts';
import { sharedPaths } from '../../support/shared.ts';

const openSqlite = (path: string, options: SqliteOptions) => openWith(path, options, new CacheBudget(1024 * 1024));

const freshPath = sharedPaths();

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

describe('opening', () => {
  test('creates the directory and the file if allowed, and reports a missing file otherwise', async () => {
    const path = join(dirname(freshPath()), 'deep', 'er', 'stock.db');
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
    // By the next iteration but one, the write has been sent to the thread.
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
