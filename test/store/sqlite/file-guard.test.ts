/** The SQLite file under a store that is open: replaced, removed and put back. */

import { existsSync, mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { partner } from '../../../src/catalog/partner.ts';
import { planCreate } from '../../../src/plan/create.ts';
import { planExport } from '../../../src/plan/list.ts';
import { Connection } from '../../../src/store/sqlite/connection.ts';
import { fingerprint } from '../../../src/store/sqlite/file-access.ts';
import { FileGuard, identify } from '../../../src/store/sqlite/file-guard.ts';
import { openSqlite } from '../../../src/store/sqlite/open.ts';
import { CacheBudget } from '../../../src/store/state/cache.ts';
import type { Store } from '../../../src/store/store.ts';
import { addAccount, load, NOW, planned } from '../../support/fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'stockbook-file-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const freshPath = () => {
  files += 1;
  return join(folder, `${files}.db`);
};

const REPLACED = { name: 'UnusableDatabase', defect: 'replaced' };

/** Closed at the end of the test, with an account and how often the file was reported as replaced. */
async function open(path: string): Promise<{ store: Store; account: number; reports: () => number }> {
  const reports: Error[] = [];
  const options = { create: true, onFileReplaced: (error: Error) => void reports.push(error) };
  const store = openSqlite(path, options, new CacheBudget(1024 * 1024));
  onTestFinished(() => store.close());
  return { store, account: (await addAccount(store, 'acme')).id, reports: () => reports.length };
}

const create = (store: Store, account: number) =>
  store.records.create({ account }, planned(planCreate(partner, { name: 'A' }, NOW)));

test('an export that is under way fails, and nothing of another file is read', async () => {
  const path = freshPath();
  const { store, account, reports } = await open(path);
  const rows = Array.from({ length: 5_000 }, (_, index) => ({ name: `A partner with a long name, number ${index}` }));
  await load(store, { id: account }, partner, rows);
  const plan = planned(planExport(partner, { values: {}, continuations: [] }, { kind: 'ndjson' }));
  const opened = await store.records.export({ account }, plan);
  if (opened === 'no access') throw new Error('the account is missing');
  await opened.next();
  renameSync(path, `${path}.aside`);
  const readAll = async () => {
    while ((await opened.next()) !== undefined);
  };
  await expect(readAll()).rejects.toMatchObject(REPLACED);
  await opened.close();
  expect(reports()).toBe(1);
  renameSync(`${path}.aside`, path);
  await store.checkReadiness();
});

test('a write that waits for a lock while the file is removed is not made', async () => {
  const path = freshPath();
  const { store, account } = await open(path);
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  const created = expect(create(store, account)).rejects.toMatchObject(REPLACED);
  // By the next iteration but one, the write has been sent to the thread.
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  renameSync(path, `${path}.aside`);
  other.exec('COMMIT');
  await created;
  renameSync(`${path}.aside`, path);
  expect(other.prepare('SELECT count(*) AS rows FROM partner').get()).toEqual({ rows: 0 });
  expect(await create(store, account)).toEqual({ id: 1 });
});

test('it is reported once, and again only after the file was back', async () => {
  const path = freshPath();
  const { store, account, reports } = await open(path);
  const fail = async () => {
    await expect(store.version(account)).rejects.toMatchObject(REPLACED);
    await expect(store.checkReadiness()).rejects.toMatchObject(REPLACED);
    await expect(create(store, account)).rejects.toMatchObject(REPLACED);
  };
  for (const expected of [1, 2]) {
    renameSync(path, `${path}.aside`);
    // The reads of one iteration share a check.
    await new Promise(setImmediate);
    await fail();
    await fail();
    expect(existsSync(path)).toBe(false);
    expect(reports()).toBe(expected);
    renameSync(`${path}.aside`, path);
    expect(await store.version(account)).toBeDefined();
  }
});

test('a link that names another file counts as replaced', async () => {
  const [link, target, other] = [freshPath(), freshPath(), freshPath()];
  await openSqlite(other, { create: true }, new CacheBudget(0)).close();
  await openSqlite(target, { create: true }, new CacheBudget(0)).close();
  symlinkSync(target, link);
  const { store, account } = await open(link);
  expect(await create(store, account)).toEqual({ id: 1 });
  unlinkSync(link);
  symlinkSync(other, link);
  await expect(create(store, account)).rejects.toMatchObject(REPLACED);
});

test('a file with another identity inside is not opened, even with the same inode', async () => {
  const path = freshPath();
  await open(path);
  const connection = new Connection(path);
  onTestFinished(() => connection.close());
  const identity = identify(path, connection);
  new FileGuard(identity).open().close();
  expect(() => new FileGuard({ ...identity, database: 'another' }).open()).toThrow(expect.objectContaining(REPLACED));
});

test('a file that is read as if nobody could write to it is given up as soon as somebody does', async () => {
  const path = freshPath();
  await openSqlite(path, { create: true }, new CacheBudget(0)).close();
  const print = fingerprint(path) ?? '';
  const connection = new Connection(path, { access: 'immutable' });
  onTestFinished(() => connection.close());
  const guard = new FileGuard(identify(path, connection, { access: 'immutable', fingerprint: print }));
  guard.verify(connection);
  // It begins with a log, and ends with another content of the file.
  const store = openSqlite(path, { create: true }, new CacheBudget(0));
  await addAccount(store, 'acme');
  expect(() => guard.verify(connection)).toThrow('was changed while it was read');
  await store.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
  expect(() => guard.verify(connection)).toThrow('was changed while it was read');
});

test('two databases have different identities, and a copy has the same', async () => {
  const [first, second, copy] = [freshPath(), freshPath(), freshPath()];
  await open(first);
  await open(second);
  const original = new DatabaseSync(first);
  original.exec(`VACUUM INTO '${copy}'`);
  original.close();
  const identities = [first, second, copy].map((path) => {
    const connection = new Connection(path);
    onTestFinished(() => connection.close());
    return identify(path, connection).database;
  });
  expect(identities[1]).not.toBe(identities[0]);
  expect(identities[2]).toBe(identities[0]);
});

test('a connection creates no file unless it is told to', () => {
  const path = freshPath();
  expect(() => new Connection(path)).toThrow(/unable to open/);
  expect(existsSync(path)).toBe(false);
});
