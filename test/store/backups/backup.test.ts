/** Backups of a SQLite file that is in use, and what happens to the file when one is restored. */

import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { partner } from '../../../src/catalog/partner.ts';
import { planCreate } from '../../../src/plan/create.ts';
import { backUp } from '../../../src/store/backups/backup.ts';
import { type Restored, restore } from '../../../src/store/backups/restore.ts';
import { SCHEMA_VERSION } from '../../../src/store/migrations/migrations.ts';
import type { Store } from '../../../src/store/store.ts';
import { openDatabase } from '../../support/engines.ts';
import { addAccount, NOW, planned } from '../../support/fixture.ts';
import { TestClock } from '../../support/test-clock.ts';

const folder = mkdtempSync(join(tmpdir(), 'stockbook-backup-'));
afterAll(() => rmSync(folder, { recursive: true }));

let made = 0;
const freshFolder = () => {
  made += 1;
  return mkdtempSync(join(folder, `${made}-`));
};

const create = (store: Store) => store.records.create({ account: 1 }, planned(planCreate(partner, { name: 'A' }, NOW)));

/** A database with an account and some partners. It is closed. */
async function makeDatabase(partners = 1): Promise<string> {
  const path = join(freshFolder(), 'stockbook.db');
  const store = await openDatabase(path);
  await addAccount(store, 'acme');
  for (let n = 0; n < partners; n += 1) await create(store);
  await store.close();
  return path;
}

/** So much that a copy takes many steps. */
function enlarge(path: string): void {
  const filler = new DatabaseSync(path);
  filler.exec('CREATE TABLE filler (content); INSERT INTO filler VALUES (zeroblob(20000000))');
  filler.close();
}

const partnersIn = (path: string): number => {
  const database = new DatabaseSync(path);
  const row = database.prepare('SELECT count(*) AS partners FROM partner').get();
  database.close();
  return Number(row?.['partners']);
};

const restored = async (file: string, database: string): Promise<Restored | undefined> => {
  let result: Restored | undefined;
  await restore(file, database, {
    clock: new TestClock({ isPassing: true }),
    onRestored: (done) => {
      result = done;
    },
  });
  return result;
};

test('a backup is of one moment, although writes continue', async () => {
  const path = await makeDatabase();
  enlarge(path);
  const store = await openDatabase(path);
  onTestFinished(() => store.close());
  let isDone = false;
  let created = 1;
  const writing = (async () => {
    for (; !isDone; created += 1) await create(store);
  })();
  const steps: number[] = [];
  const file = join(freshFolder(), 'backup.db');
  const content = await backUp(path, file, { overwrite: false, onCopied: ({ bytes }) => void steps.push(bytes) });
  isDone = true;
  await writing;
  expect(steps.length).toBeGreaterThan(5);
  expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  expect(content).toMatchObject({ accounts: 1, schema: SCHEMA_VERSION, wrongLedgers: 0 });
  expect(partnersIn(file)).toBe(content?.records.get('partner'));
  expect(partnersIn(file)).toBeLessThan(created);
  expect(statSync(file)).toMatchObject({ size: content?.bytes, mode: 0o100600 });
  expect(readdirSync(join(file, '..'))).toEqual(['backup.db']);
});

test('a file that exists is replaced only if asked for, and what killed processes left behind is removed', async () => {
  const [path, larger] = [await makeDatabase(1), await makeDatabase(2)];
  const backups = freshFolder();
  const file = join(backups, 'backup.db');
  expect(await backUp(path, file, { overwrite: false })).toBeDefined();
  expect(await backUp(larger, file, { overwrite: false })).toBeUndefined();
  expect(partnersIn(file)).toBe(1);
  // No process has such a number.
  for (const suffix of ['', '-wal', '-journal']) writeFileSync(`${file}.partial-999999999${suffix}`, 'half');
  writeFileSync(`${file}.partial-notes.txt`, 'of somebody else');
  writeFileSync(`${file}-wal`, 'the log of another file');
  expect(await backUp(larger, file, { overwrite: true })).toBeDefined();
  expect(partnersIn(file)).toBe(2);
  expect(readdirSync(backups).toSorted()).toEqual(['backup.db', 'backup.db.partial-notes.txt']);
});

test('a database that is damaged is not backed up, and nothing is left', async () => {
  const path = await makeDatabase(1);
  const [backups, database] = [freshFolder(), new DatabaseSync(path)];
  database.exec('UPDATE ledger SET rows = rows + 1');
  database.close();
  const file = join(backups, 'backup.db');
  await expect(backUp(path, file, { overwrite: false })).rejects.toThrow(/ledgers and records do not agree/);
  const bytes = readFileSync(path);
  bytes.fill(7, 40_000, 60_000);
  writeFileSync(path, bytes);
  await expect(backUp(path, file, { overwrite: false })).rejects.toThrow(/damaged/);
  expect(readdirSync(backups)).toEqual([]);
});

test('a restore is refused while any process has the database open', async () => {
  const [path, file] = [await makeDatabase(1), join(freshFolder(), 'backup.db')];
  await backUp(path, file, { overwrite: false });
  const store = await openDatabase(path);
  await expect(restore(file, path, {})).rejects.toThrow(/is in use/);
  await store.close();
  const reader = new DatabaseSync(path, { readOnly: true });
  reader.prepare('SELECT 1 FROM account').get();
  await expect(restore(file, path, {})).rejects.toThrow(/is in use/);
  reader.close();
  expect(readdirSync(join(path, '..')).filter((name) => /partial|before/.test(name))).toEqual([]);
});

test('a restore keeps the previous file with what is only in its log, and its permissions', async () => {
  const path = await makeDatabase(1);
  const file = join(freshFolder(), 'backup.db');
  await backUp(path, file, { overwrite: false });
  // The files of a process that was killed.
  const store = await openDatabase(path);
  await create(store);
  const killed = join(freshFolder(), 'stockbook.db');
  for (const suffix of ['', '-wal', '-shm']) copyFileSync(path + suffix, killed + suffix);
  await store.close();
  chmodSync(killed, 0o640);
  const { kept, content, generation } = (await restored(file, killed)) ?? {};
  if (kept === undefined) throw new Error('nothing was kept');
  expect(content?.records.get('partner')).toBe(1);
  expect(readdirSync(join(killed, '..')).toSorted()).toEqual(['stockbook.db', basename(kept)]);
  expect(basename(kept)).toMatch(/^stockbook\.db\.before-restore-\d{8}T\d{6}Z$/);
  expect([partnersIn(killed), partnersIn(kept)]).toEqual([1, 2]);
  expect(statSync(killed).mode & 0o777).toBe(0o640);
  const opened = await openDatabase(killed);
  onTestFinished(() => opened.close());
  for await (const entries of opened.audit.entries({ action: 'database restored' }))
    expect(entries).toMatchObject([{ details: '{"file":"backup.db"}' }]);
  expect(await create(opened)).toEqual({ id: 2 });
  expect(generation?.id).not.toBe((await opened.version(1))?.ledger.get('partner')?.generation);
});

test('a database that is created during the restore is not touched', async () => {
  const [path, file] = [await makeDatabase(1), join(freshFolder(), 'backup.db')];
  enlarge(path);
  await backUp(path, file, { overwrite: false });
  const target = join(freshFolder(), 'stockbook.db');
  let service: DatabaseSync | undefined;
  const begin = () => {
    service ??= new DatabaseSync(target);
    service.exec('PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS written (id)');
  };
  onTestFinished(() => service?.close());
  await expect(restore(file, target, { onCopied: begin })).rejects.toThrow(/is in use.* Nothing was changed/);
  service?.exec('INSERT INTO written VALUES (1)');
  expect(readdirSync(join(target, '..')).toSorted()).toEqual(['', '-shm', '-wal'].map((end) => `stockbook.db${end}`));
  const reader = new DatabaseSync(target, { readOnly: true });
  expect(reader.prepare('SELECT id FROM written').all()).toEqual([{ id: 1 }]);
  reader.close();
});

test('nothing is restored beside the log of a file that is gone', async () => {
  const [path, file] = [await makeDatabase(1), join(freshFolder(), 'backup.db')];
  await backUp(path, file, { overwrite: false });
  const gone = join(freshFolder(), 'stockbook.db');
  writeFileSync(`${gone}-wal`, 'a log');
  await expect(restore(file, gone, {})).rejects.toThrow(/stockbook\.db-wal exists without .*Nothing was changed/);
  expect(readdirSync(join(gone, '..'))).toEqual(['stockbook.db-wal']);
  expect(readFileSync(`${gone}-wal`, 'utf8')).toBe('a log');
});

test('a backup is restored to an empty place, and over a damaged file', async () => {
  const path = await makeDatabase(3);
  const file = join(freshFolder(), 'backup.db');
  await backUp(path, file, { overwrite: false });
  const empty = join(freshFolder(), 'new.db');
  expect((await restored(file, empty))?.kept).toBeUndefined();
  expect(partnersIn(empty)).toBe(3);

  const damaged = join(freshFolder(), 'stockbook.db');
  writeFileSync(damaged, 'x'.repeat(10_000));
  const { kept = '' } = (await restored(file, damaged)) ?? {};
  expect(partnersIn(damaged)).toBe(3);
  expect(readFileSync(kept, 'utf8')).toBe('x'.repeat(10_000));
});

test('a file that is no sound backup of this version is not restored', async () => {
  const path = await makeDatabase(1);
  const file = join(freshFolder(), 'backup.db');
  const rejects = async (reason: RegExp) => {
    await expect(restore(file, path, {})).rejects.toThrow(reason);
    expect(readdirSync(join(path, '..'))).toEqual(['stockbook.db']);
    expect(partnersIn(path)).toBe(1);
    rmSync(file, { force: true });
  };
  writeFileSync(file, 'x'.repeat(10_000));
  await rejects(/is not a SQLite database, so it is not a backup/);
  writeFileSync(file, '');
  await rejects(/is not a SQLite database/);
  await backUp(path, file, { overwrite: false });
  const newer = new DatabaseSync(file);
  newer.exec(`INSERT INTO migration VALUES (${SCHEMA_VERSION + 1}, 'later', '${NOW}')`);
  newer.close();
  await rejects(/was written by a newer Stockbook/);
  await backUp(path, file, { overwrite: false });
  const bytes = readFileSync(file);
  bytes.fill(7, 40_000, 60_000);
  writeFileSync(file, bytes);
  await rejects(/damaged/);
  expect(existsSync(`${path}-wal`)).toBe(false);
});

test.each([
  [
    'silences the audit trail',
    'CREATE TRIGGER zz_silence BEFORE INSERT ON audit_entry BEGIN SELECT raise(ignore); END',
    /trigger zz_silence is not part of the schema/,
  ],
  [
    'does something else in a trigger of ours',
    'DROP TRIGGER audit_entry_delete; CREATE TRIGGER audit_entry_delete BEFORE DELETE ON audit_entry BEGIN SELECT 1; END',
    /trigger audit_entry_delete is not what it should be/,
  ],
  [
    'hides a trigger behind a reserved name',
    `CREATE TRIGGER zz AFTER INSERT ON account BEGIN SELECT 1; END;
     PRAGMA writable_schema = ON;
     UPDATE sqlite_schema SET type = 'TRIGGER', name = 'sqlite_zz', sql = replace(sql, 'zz', 'sqlite_zz') WHERE name = 'zz'`,
    /TRIGGER sqlite_zz is not part of the schema/,
  ],
  ['lacks a table', 'DROP TABLE audit_entry', /table audit_entry is missing/],
  [
    'has a view that never ends instead of a table',
    `DROP TABLE product; CREATE VIEW product AS
       WITH RECURSIVE r (account_id, id) AS (SELECT 1, 1 UNION ALL SELECT 1, id + 1 FROM r) SELECT * FROM r`,
    /table product is missing/,
  ],
  [
    'has a table with the name of an index',
    'DROP INDEX product_default_code; CREATE TABLE product_default_code (x)',
    /index product_default_code is missing/,
  ],
  [
    'has a schema version out of range',
    "INSERT INTO migration VALUES (9223372036854775807, 'later', '')",
    /has a number that is out of range/,
  ],
  ['has a view', 'CREATE VIEW everything AS SELECT * FROM api_key', /view everything is not part of the schema/],
])('a file that %s is neither restored nor backed up', async (_, statements, reason) => {
  const [path, file] = [await makeDatabase(1), join(freshFolder(), 'backup.db')];
  const crafted = new DatabaseSync(path, { defensive: false });
  crafted.exec(statements);
  crafted.close();
  const target = join(freshFolder(), 'stockbook.db');
  await expect(restore(path, target, {})).rejects.toThrow(reason);
  await expect(backUp(path, file, { overwrite: false })).rejects.toThrow(reason);
  for (const place of [target, file]) expect(readdirSync(join(place, '..'))).toEqual([]);
});

test.each([
  ['text', 'id,name\n1,Chair\n'],
  ['nothing', ''],
  ['something compressed', '\x1f\x8b\x08\x00 and so on'],
  ['half of a header', 'SQLite form'],
])('a file with %s is not restored, and the message says what to do', async (_, content) => {
  const [path, file] = [await makeDatabase(1), join(freshFolder(), 'garbage')];
  writeFileSync(file, content);
  const before = readFileSync(path);
  await expect(restore(file, path, {})).rejects.toThrow(
    /garbage is not a SQLite database, so it is not a backup\. Name a file that "stockbook backup" made.* Nothing was changed\.$/,
  );
  expect(readFileSync(path)).toEqual(before);
  expect(readdirSync(join(path, '..')).filter((name) => /partial|before/.test(name))).toEqual([]);
});

test('a backup has an entry in the audit trail of the database, for which it waits until others have written', async () => {
  const [path, backups] = [await makeDatabase(1), freshFolder()];
  const entries = (file: string) => {
    const database = new DatabaseSync(file, { readOnly: true });
    const rows = database.prepare("SELECT account, details FROM audit_entry WHERE action = 'backup written'").all();
    database.close();
    return rows.map(({ account, details }) => [account, JSON.parse(String(details))]);
  };
  const content = await backUp(path, join(backups, 'one.db'), { overwrite: false });
  expect(entries(path)).toEqual([[null, { file: 'one.db', bytes: content?.bytes }]]);
  expect(entries(join(backups, 'one.db'))).toEqual([]);
  const lock = new DatabaseSync(path);
  onTestFinished(() => lock.close());
  lock.exec('BEGIN IMMEDIATE');
  const errors: unknown[] = [];
  const onNotRecorded = (error: unknown) => void errors.push(error);
  // Such as an import that takes longer than a connection waits.
  const onWaiting = () => lock.exec('ROLLBACK');
  expect(await backUp(path, join(backups, 'two.db'), { overwrite: false, onWaiting, onNotRecorded })).toBeDefined();
  expect(errors).toEqual([]);
  expect(entries(path)).toEqual([
    [null, { file: 'one.db', bytes: content?.bytes }],
    [null, { file: 'two.db', bytes: content?.bytes }],
  ]);
  expect(partnersIn(join(backups, 'two.db'))).toBe(1);
});
