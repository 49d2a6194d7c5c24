/** Commands on a SQLite file that must not be written to, or that is in a place where nothing can be written. */

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { commands } from '../support/commands.ts';
import { kill, makeFolder, run, type Serving, serve } from '../support/program.ts';

const isRoot = process.getuid?.() === 0;

/** Root may write to everything, except on a file system that is mounted read-only. */
const canMount = isRoot && canMountReadOnly();

/** For root to be subject to permissions. */
const ORDINARY = isRoot ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];
const canBeOrdinary = ORDINARY.length === 0 || spawnSync('setpriv', ['--version']).status === 0;

function canMountReadOnly(): boolean {
  const { path, remove } = makeFolder();
  const isMounted = spawnSync('mount', ['--bind', path, path]).status === 0;
  const isReadOnly = isMounted && spawnSync('mount', ['-o', 'remount,ro,bind', path]).status === 0;
  if (isMounted) execFileSync('umount', [path]);
  remove();
  return isReadOnly;
}

const folder = makeFolder();
const original = join(folder.path, 'original.db');
beforeAll(async () => {
  const command = (...args: string[]) => commands.run([...args, '--database', original], { folder: folder.path });
  await command('account', 'add', 'acme');
  writeFileSync(join(folder.path, 'partners.csv'), 'id,name\n1,Alba\n2,Boreas\n');
  await command('import', 'acme', 'partner', 'partners.csv');
});
afterAll(folder.remove);

let count = 0;
let place: string;
let database: string;
beforeEach(() => {
  count += 1;
  place = join(folder.path, `place-${count}`);
  database = join(place, 'stockbook.db');
  mkdirSync(place);
  copyFileSync(original, database);
});

/** Until the end of the test. */
function makeReadOnly(path: string): void {
  if (isRoot) {
    execFileSync('mount', ['--bind', path, path]);
    onTestFinished(() => void execFileSync('umount', [path]));
    execFileSync('mount', ['-o', 'remount,ro,bind', path]);
  } else {
    chmodSync(path, 0o500);
    onTestFinished(() => chmodSync(path, 0o700));
  }
}

const READING = [
  ['account', 'list'],
  ['key', 'list'],
  ['audit'],
  ['check'],
  ['export', 'acme', 'partner', '--format', 'csv'],
] as const;

/** Everything that only reads, and a backup, which is then verified. */
async function expectReadable(prefix: readonly string[] = []): Promise<void> {
  const options = { folder: folder.path, prefix };
  const before = readdirSync(place);
  for (const args of READING) {
    const { code, stdout, stderr } = await run([...args, '--database', database], options);
    expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: expect.not.stringContaining('stockbook:') });
    if (args[0] === 'export') expect(stdout).toContain('Boreas');
  }
  const backup = join(folder.path, `backup-${count}.db`);
  expect(await run(['backup', backup, '--database', database], options)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('2 partners'),
    stderr: expect.stringContaining('The backup is complete, but the audit trail has no entry of it'),
  });
  expect(await run(['check', '--database', backup], options)).toMatchObject({ code: 0 });
  expect(readdirSync(place)).toEqual(before);
}

describe.skipIf(!canMount && isRoot)('in a place where nothing can be written', () => {
  test('everything that reads works', async () => {
    makeReadOnly(place);
    await expectReadable();
  });

  test('everything that writes says so, and changes nothing', async () => {
    makeReadOnly(place);
    for (const args of [
      ['account', 'add', 'other'],
      ['check', '--repair'],
      ['serve', '--port', '0'],
    ]) {
      const { code, stderr } = await run([...args, '--database', database], { folder: folder.path });
      expect({ args, code, stderr }).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('cannot be opened for writing'),
      });
    }
    expect(readdirSync(place)).toEqual(['stockbook.db']);
  });

  test('the log of a process that was killed is read as well', async () => {
    const server = await serve(['--database', database, '--demo'], { folder: folder.path });
    await kill(server);
    expect(readdirSync(place)).toContain('stockbook.db-wal');
    // Without the memory that it shared, the log has to be recovered somewhere else.
    const copy = join(folder.path, 'copy');
    mkdirSync(copy);
    for (const name of ['stockbook.db', 'stockbook.db-wal']) copyFileSync(join(place, name), join(copy, name));
    makeReadOnly(copy);
    const copied = await run(['account', 'list', '--database', join(copy, 'stockbook.db')], { folder: folder.path });
    expect(copied).toMatchObject({ code: 1, stderr: expect.stringContaining('Copy both to a directory') });
    makeReadOnly(place);
    await expectReadable();
    const { stdout } = await run(['account', 'list', '--database', database], { folder: folder.path });
    expect(stdout).toMatch(/^demo +5000 +1000 +5 /m);
  });
});

describe.skipIf(!canMount)('in a place that is read-only here, while a service writes to it elsewhere', () => {
  let server: Serving;
  let mounted: string;
  beforeEach(async () => {
    server = await serve(['--database', database, '--demo'], { folder: folder.path });
    mounted = join(folder.path, `mounted-${count}`);
    mkdirSync(mounted);
    execFileSync('mount', ['--bind', place, mounted]);
    execFileSync('mount', ['-o', 'remount,ro,bind', mounted]);
    onTestFinished(async () => {
      execFileSync('umount', [mounted]);
      await kill(server);
    });
  });

  test('commands see what it has written last', async () => {
    const here = join(mounted, 'stockbook.db');
    for (const name of ['first', 'second']) {
      await run(['account', 'add', name, '--database', database], { folder: folder.path });
      const { stdout } = await run(['account', 'list', '--database', here], { folder: folder.path });
      expect(stdout).toMatch(new RegExp(`^${name} `, 'm'));
    }
    expect(await run(['check', '--database', here], { folder: folder.path })).toMatchObject({ code: 0 });
  });
});

describe.skipIf(!canBeOrdinary)('a file that must not be written to, in a place where others can be', () => {
  test('is read, and nothing is left beside it', async () => {
    chmodSync(database, 0o400);
    await expectReadable(ORDINARY);
    // Whoever may write to it again can.
    chmodSync(database, 0o600);
    const added = await run(['account', 'add', 'other', '--database', database], {
      folder: folder.path,
      prefix: ORDINARY,
    });
    expect(added).toMatchObject({ code: 0, stderr: '' });
  });

  test('is not served, and nothing is left beside it', async () => {
    chmodSync(database, 0o400);
    const options = { folder: folder.path, prefix: ORDINARY };
    const { code, stderr } = await run(['serve', '--port', '0', '--database', database], options);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('cannot be opened for writing') });
    expect(readdirSync(place)).toEqual(['stockbook.db']);
  });
});
