/** `stockbook import` that is interrupted at any point or watched by others, and the memory it takes. */

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { planList } from '../../src/plan/list.ts';
import type { Account, Store } from '../../src/store/store.ts';
import { engines, openDatabase, type TestDatabase } from '../support/engines.ts';
import { addAccount, listPage, load, planned, recordsIn, tabled } from '../support/fixture.ts';
import { peakMemory } from '../support/memory.ts';
import {
  hasTerminals,
  kill,
  makeFolder,
  type Running,
  run,
  serve,
  start,
  startInTerminal,
} from '../support/program.ts';
import { rounds } from '../support/rounds.ts';
import { PARTNERS } from '../support/rows.ts';
import { send } from '../support/service.ts';

const running: Running[] = [];
afterEach(async () => {
  for (const { child, finished } of running.splice(0)) {
    child.kill('SIGKILL');
    await finished;
  }
});

describe.each(engines)('on $name', (engine) => {
  const own = makeFolder();
  let database: TestDatabase;
  let opened: Store;
  let owner: Account;
  beforeAll(async () => {
    database = await engine.makeMigrated();
    opened = await openDatabase(database.url);
    owner = await addAccount(opened, 'acme');
    await load(opened, owner, partner, tabled('id name', [1, 'First'], [2, 'Second']));
  });
  afterAll(async () => {
    await opened.close();
    await database.drop();
    own.remove();
  });

  const runOptions = () => ({ folder: own.path, env: { STOCKBOOK_DATABASE: database.url } });
  const importing = (...flags: string[]) => {
    const program = start(['import', 'acme', 'partner', '-', '--format', 'csv', ...flags], runOptions());
    running.push(program);
    return program;
  };
  const state = async () => {
    const plan = planned(planList(partner, { values: { limit: '3', fields: 'id,name' }, continuations: [] }));
    const page = await listPage(opened, owner.id, plan);
    if (page === undefined) throw new Error('no such account');
    return { total: page.total, revision: page.version.revision, records: recordsIn(page.records) };
  };
  const unchanged = {
    total: 2,
    revision: 1,
    records: [
      { id: 1, name: 'First' },
      { id: 2, name: 'Second' },
    ],
  };
  /** Resolves once the program has read all of it, except for what the pipe holds. */
  const feed = async ({ child }: Running, rows: number) => {
    for (let from = 0; from < rows; from += 5_000) {
      const lines = Array.from({ length: 5_000 }, (_, n) => `Partner ${from + n},${from + n}@example.com\n`).join('');
      await new Promise<void>((resolve) => {
        child.stdin.write((from === 0 ? 'name,email\n' : '') + lines, () => resolve());
      });
    }
  };
  /** Whether an import is inside the transaction that writes its rows. */
  const isWriting = () =>
    engine.name === 'SQLite'
      ? database.execute('BEGIN IMMEDIATE').then(
          () => false,
          () => true,
        )
      : database
          .count('pg_locks', "relation = 'partner'::regclass AND mode = 'RowExclusiveLock'")
          .then((locks) => locks > 0);

  test('a kill while the file is being read changes nothing', async () => {
    const program = importing();
    await feed(program, 20_000);
    program.child.kill('SIGKILL');
    expect((await program.finished).code).toBeNull();
    expect(await state()).toEqual(unchanged);
  });

  test('Ctrl-C while the file is being read says that nothing was changed', async () => {
    const program = importing('--reject', 'rejected.csv');
    program.child.stdin.write(`name,email\n" ",bad\n${'x,y\n'.repeat(60_000)}`);
    const partial = join(own.path, 'rejected.csv.partial');
    await expect.poll(() => existsSync(partial) && readFileSync(partial, 'utf8')).toContain('bad');
    program.child.kill('SIGINT');
    expect(await program.finished).toEqual({
      code: 130,
      stdout: '',
      stderr: 'stockbook: Interrupted. Nothing was changed.\n',
    });
    expect(await state()).toEqual(unchanged);
    expect([existsSync(partial), existsSync(join(own.path, 'rejected.csv'))]).toEqual([false, false]);
  });

  // Only on a terminal does the program show at once that it has read the file.
  test.skipIf(!hasTerminals)('Ctrl-C while the rows are being written says how to find out if they were', async () => {
    writeFileSync(join(own.path, 'one.csv'), 'name\nA\n');
    const release = await database.holdWrites();
    try {
      const program = startInTerminal(['import', 'acme', 'partner', 'one.csv'], runOptions());
      running.push(program);
      await expect.poll(() => program.output().stdout).toContain('Checking: 0 of 1 row');
      program.child.stdin.write('\x03');
      expect(await program.finished).toMatchObject({
        code: 130,
        stdout: expect.stringMatching(
          /stockbook: Interrupted while the rows were being written\. Either all of them were written or none\. The file can be imported again: no row is added twice without a question\.\r\n$/,
        ),
      });
    } finally {
      await release();
    }
    expect(await state()).toEqual(unchanged);
  });

  test('a kill while the rows are being written leaves all of them or none', async () => {
    const program = importing();
    await feed(program, 20_000);
    program.child.stdin.end();
    await expect.poll(async () => (await isWriting()) || program.child.exitCode !== null).toBe(true);
    await kill(program);
    await expect.poll(isWriting).toBe(false);
    const { total, revision } = await state();
    expect([
      [2, 1],
      [20_002, 2],
    ]).toContainEqual([total, revision]);
    // Restores what the next test expects.
    const restored = await run(['import', 'acme', 'partner', '-', '--format', 'csv', '--replace', '--yes'], {
      ...runOptions(),
      input: 'id,name\n1,First\n2,Second\n',
    });
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringContaining('2 unchanged') });
    expect((await state()).records).toEqual(unchanged.records);
  });

  test('a server responds throughout, with none of the rows or all of them', async () => {
    const { stdout: key } = await run(['key', 'add', 'acme', '--name', 'reader'], runOptions());
    const server = await serve([], runOptions());
    running.push(server);
    const total = async () => {
      const { status, json } = await send(server.port, {
        path: `${PARTNERS}?limit=1`,
        headers: { authorization: `Bearer ${key.trim()}` },
      });
      expect(status).toBe(200);
      return Object(json).meta.total;
    };
    const program = importing();
    const totals = new Set<number>();
    let isFinished = false;
    void program.finished.then(() => {
      isFinished = true;
    });
    const observed = (async () => {
      while (!isFinished) totals.add(await total());
    })();
    await feed(program, 20_000);
    program.child.stdin.end();
    // Stopped inside its transaction, the import keeps the locks it has, so a response that needs them would never come. It also has short ones,
    // in which it says how far it is.
    const stopped = async () => {
      await expect.poll(isWriting).toBe(true);
      program.child.kill('SIGSTOP');
      // The signal takes a moment to arrive.
      await expect.poll(() => readFileSync(`/proc/${program.child.pid}/stat`, 'utf8')).toMatch(/\) [TZ] /);
      if (await isWriting()) return true;
      program.child.kill('SIGCONT');
      return false;
    };
    await expect.poll(stopped).toBe(true);
    expect([await total(), await total(), await isWriting()]).toEqual([2, 2, true]);
    program.child.kill('SIGCONT');
    expect((await program.finished).stdout).toBe(
      `Imported 20,000 partners into acme: 20,000 created, 0 updated, 0 unchanged, 0 removed, 0 rejected.\n`,
    );
    await observed;
    expect(await total()).toBe(20_002);
    expect([...totals].filter((seen) => seen !== 2 && seen !== 20_002)).toEqual([]);
  });
});

describe.concurrent.each(engines)('memory on $name', (engine) => {
  const MEBIBYTE = 1024 * 1024;
  const ROWS = engine.name === 'SQLite' ? rounds(100_000, 300_000) : rounds(50_000, 100_000);
  /** Rows that were kept would take more: about a kilobyte each. */
  const LIMIT = rounds(200, 300) * MEBIBYTE;

  test('does not grow with the file, neither for import nor for export', async () => {
    const own = makeFolder();
    const database = await engine.makeMigrated();
    const opened = await openDatabase(database.url);
    await addAccount(opened, 'acme');
    await opened.close();
    const on = { folder: own.path, env: { STOCKBOOK_DATABASE: database.url } };
    const line = (n: number) => `"Company ${n}, of many",${n % 1_000},C${n},2026-01-01\n`;
    writeFileSync(
      join(own.path, 'many.csv'),
      `name,branch_user,company_code,create_date\n${Array.from({ length: ROWS }, (_, n) => line(n)).join('')}`,
    );

    const importing = await peakMemory(start(['import', 'acme', 'company', 'many.csv'], on));
    expect(importing.stdout).toContain(`${ROWS.toLocaleString('en-US')} created`);
    const exporting = await peakMemory(start(['export', 'acme', 'company', '--output', 'all.ndjson'], on));
    expect(exporting.code).toBe(0);

    expect(statSync(join(own.path, 'all.ndjson')).size).toBeGreaterThan(120 * ROWS);
    for (const { peak = 0 } of [importing, exporting]) expect(peak).toBeLessThan(LIMIT);
    await database.drop();
    own.remove();
  });
});
