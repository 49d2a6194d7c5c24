/** Backups and restores with the real program: nothing of an abandoned history is ever honoured, and nothing half remains. */

import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { commands } from '../support/commands.ts';
import { engines, onPostgres, type TestDatabase } from '../support/engines.ts';
import { kill, makeFolder, PROGRAM, run, type Serving, serve, start } from '../support/program.ts';
import { createPartner, PARTNERS } from '../support/rows.ts';
import { bearer, send } from '../support/service.ts';

describe.each(engines)('on $name', (engine) => {
  const folder = makeFolder();
  let database: TestDatabase;
  let service: Serving | undefined;
  beforeAll(async () => {
    database = await engine.makeMigrated();
  });
  afterAll(async () => {
    await kill(service);
    await database.drop();
    folder.remove();
  });

  const stockbook = (...args: string[]) => run([...args, '--database', database.url], { folder: folder.path });
  const prepared = (...args: string[]) => commands.run([...args, '--database', database.url], { folder: folder.path });
  const startService = async () => {
    service = await serve(['--database', database.url], { folder: folder.path });
  };
  /** A copy of a database on one server is no copy of a cluster. */
  const isOnCluster = engine.name === 'PostgreSQL' && inject('isCluster');
  const stopService = async () => {
    service?.child.kill('SIGTERM');
    expect((await service?.finished)?.code).toBe(0);
    service = undefined;
  };
  const name = () => new URL(database.url).pathname.slice(1);
  const saved = () => `${name()}_saved`;
  const onServer = (statement: string) => onPostgres(inject('postgresUrl'), statement);

  /** While the service runs. */
  const backUp = async () => {
    if (engine.name === 'SQLite') {
      const { code, stdout } = await stockbook('backup', 'backup.db');
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: expect.stringMatching(
          /^Backed up .* to backup\.db: [\d.]+ KiB, 1 account, 0 products, 2 partners, 0 companies\.\n$/,
        ),
      });
      return;
    }
    // Stands for a dump. A template must not have connections; the service opens new ones when it needs them.
    await onServer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name()}'`);
    await onServer(`CREATE DATABASE ${saved()} TEMPLATE ${name()}`);
  };
  /** While it does not run. */
  const restore = async () => {
    if (engine.name === 'SQLite') {
      expect(await stockbook('restore', 'backup.db')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('--yes'),
      });
      const { code, stdout } = await stockbook('restore', 'backup.db', '--yes');
      expect({ code, stdout }).toEqual({
        code: 0,
        stdout: expect.stringMatching(/Generation \d+ has begun\. The previous file is /),
      });
      return;
    }
    await onServer(`DROP DATABASE ${name()} WITH (FORCE)`);
    await onServer(`ALTER DATABASE ${saved()} RENAME TO ${name()}`);
    expect(await stockbook('restored')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Generation \d+ has begun/),
    });
  };

  test.skipIf(isOnCluster)(
    'cursors and entity tags of what the backup does not have are not honoured; earlier ones are',
    async () => {
      await prepared('account', 'add', 'acme');
      const key = (await prepared('key', 'add', 'acme', '--name', 'test')).stdout.trim();
      await startService();
      const request = (path: string, headers: Readonly<Record<string, string>> = {}) =>
        send(service?.port ?? 0, { path, headers: { ...bearer(key), ...headers } });
      const create = async (partner: string) =>
        expect(await send(service?.port ?? 0, createPartner(partner, bearer(key)))).toRespond(201);
      const position = async () => {
        const { json } = await request(`${PARTNERS}/changes`);
        const cursor = JSON.stringify(json).match(/"(?:cursor|next)":"([^"]+)"/)?.[1] ?? '';
        return { cursor, etag: (await request(PARTNERS)).headers['etag'] ?? '' };
      };
      const statusOf = async ({ cursor, etag }: { cursor: string; etag: string }) => ({
        changes: (await request(`${PARTNERS}/changes?since=${cursor}`)).status,
        list: (await request(PARTNERS, { 'if-none-match': etag })).status,
      });

      await create('One');
      const early = await position();
      await create('Two');
      const backedUp = await position();
      await backUp();
      await create('Lost');
      const lost = await position();
      expect(await statusOf(lost)).toEqual({ changes: 200, list: 304 });
      if (engine.name === 'SQLite')
        expect(await stockbook('restore', 'backup.db', '--yes')).toMatchObject({
          code: 1,
          stderr: expect.stringContaining('is in use'),
        });
      await stopService();
      await restore();
      await startService();

      expect(await statusOf(lost)).toEqual({ changes: 410, list: 200 });
      expect(await statusOf(backedUp)).toMatchObject({ changes: 200 });
      expect(await statusOf(early)).toEqual({ changes: 200, list: 200 });
      // The revision that was lost exists again, with other content.
      await create('Other');
      expect(await statusOf(lost)).toEqual({ changes: 410, list: 200 });
      const { text } = await request(`${PARTNERS}/changes?since=${early.cursor}`);
      expect(text).toContain('Two');
      expect(text).toContain('Other');
      expect(text).not.toContain('Lost');
      expect(await statusOf(await position())).toEqual({ changes: 200, list: 304 });
      const { code, stdout } = await prepared('check');
      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^(?:[a-z ]+: ok\n)+$/) });
      await stopService();
    },
  );

  test.skipIf(isOnCluster)('check reports, repairs and records what it repaired', async () => {
    await database.execute('UPDATE ledger SET rows = rows + 1');
    const found = await stockbook('check');
    expect(found).toMatchObject({ code: 1, stdout: expect.stringContaining('ledger rows: 3 problems\n') });
    expect(found.stdout).toContain('  acme partner: has rows 4 in the ledger; the number of records is 3\n');
    expect(found.stderr).toContain('3 problems found. "stockbook check --repair" repairs what can be derived.');
    expect(await stockbook('check', '--repair')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('ledger rows: 3 problems, 3 repaired\n'),
    });
    expect(await prepared('check')).toMatchObject({ code: 0, stderr: '' });
    expect(
      await database.count(
        'audit_entry',
        `action = 'database repaired' AND account = 'acme' AND details LIKE '{"resource":"%","repaired":{"ledger rows":1}}'`,
      ),
    ).toBe(3);
  });
});

describe('on SQLite', () => {
  const folder = makeFolder();
  afterAll(() => folder.remove());
  const path = join(folder.path, 'data', 'stockbook.db');
  const backups = () => readdirSync(folder.path).filter((name) => name !== 'data');
  const isComplete = (name: string) => {
    const copy = new DatabaseSync(join(folder.path, name));
    expect(copy.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(copy.prepare('SELECT count(*) AS fillers FROM filler').get()).toEqual({ fillers: 1 });
    copy.close();
  };
  beforeAll(async () => {
    await commands.run(['account', 'add', 'acme'], { folder: folder.path });
    const database = new DatabaseSync(path);
    database.exec('CREATE TABLE filler (content); INSERT INTO filler VALUES (zeroblob(80000000))');
    database.close();
  });

  test('a backup that is killed leaves its name to complete files only, and the next one cleans up', async () => {
    const backup = start(['backup', 'killed.db'], { folder: folder.path });
    await expect.poll(backups).toContainEqual(expect.stringMatching(/^killed\.db(?:\.partial-\d+)?$/));
    await kill(backup);
    if (backups().includes('killed.db')) isComplete('killed.db');
    const again = await run(['backup', 'killed.db', '--overwrite'], { folder: folder.path });
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(backups()).toEqual(['killed.db']);
    isComplete('killed.db');
  });

  test('a backup that is interrupted cleans up itself', async () => {
    const backup = start(['backup', 'interrupted.db'], { folder: folder.path });
    await expect.poll(backups).toContainEqual(expect.stringMatching(/^interrupted\.db(?:\.partial-\d+)?$/));
    backup.child.kill('SIGINT');
    const { code } = await backup.finished;
    const left = backups().filter((name) => name.startsWith('interrupted'));
    // It may have been complete by then.
    expect([code, left]).toEqual(left.length === 0 ? [130, []] : [expect.any(Number), ['interrupted.db']]);
  });

  test.skipIf(process.platform === 'win32')('a backup that does not fit on the disk leaves nothing', () => {
    // A limit on the size of files, in blocks of 512 or 1,024 bytes, stands for a disk that is full.
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', 'ulimit -f 20000; exec "$@"', 'sh', process.execPath, PROGRAM, 'backup', 'full.db'],
      {
        cwd: folder.path,
        encoding: 'utf8',
      },
    );
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/^stockbook: .*full\.db.* (?:is full|rejects writes)/),
    });
    expect(backups().filter((name) => name.startsWith('full'))).toEqual([]);
  });

  test('what belongs to the database, or is not a file, is not overwritten', async () => {
    writeFileSync(join(folder.path, 'data/stockbook.db-wal'), '', { flag: 'a' });
    for (const file of ['data/stockbook.db', 'data/stockbook.db-wal', 'data'])
      expect(await commands.run(['backup', file, '--overwrite'], { folder: folder.path })).toMatchObject({
        code: 2,
        stdout: '',
      });
  });

  test('on a database of PostgreSQL, the commands say what to do instead', async () => {
    const database = ['--database', 'postgres://127.0.0.1:1/none'];
    for (const [command, tool] of [
      ['backup', 'pg_dump'],
      ['restore', 'stockbook restored'],
    ] as const)
      expect(await commands.run([command, 'file.db', ...database], { folder: folder.path })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(tool),
      });
  });
});
