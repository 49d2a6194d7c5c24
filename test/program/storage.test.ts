/** Limits on what is stored, with the real program: of an account, and of the disk. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeKey } from '../support/account-key.ts';
import { commands } from '../support/commands.ts';
import { engines } from '../support/engines.ts';
import { serve } from '../support/program.ts';
import { createPartner, PARTNERS } from '../support/rows.ts';
import { bearer, send } from '../support/service.ts';
import { sharedFolder } from '../support/shared.ts';

const folder = sharedFolder();

describe.each(engines)('on $name', (engine) => {
  test('an account is limited by a command, and its imports by the settings', async () => {
    const database = await engine.makeMigrated();
    const stockbook = (args: readonly string[]) =>
      commands.run([...args, '--database', database.url], { folder: folder.path });
    const load = (rows: number, ...flags: readonly string[]) => {
      writeFileSync(join(folder.path, 'partners.csv'), `name\n${'A\n'.repeat(rows)}`);
      return stockbook(['import', 'acme', 'partner', 'partners.csv', ...flags]);
    };
    await stockbook(['account', 'add', 'acme']);
    expect(await load(3, '--max-records', '2')).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'stockbook: acme would have 3 records, and its limit is 2. Raise it with "stockbook account limit acme --records 3". Nothing was changed.\n',
    });
    expect(await load(3, '--max-records', '2', '--dry-run')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('It would be refused: acme would have 3 records'),
    });
    expect(await stockbook(['account', 'limit', 'acme', '--records', '3', '--storage', '1MB'])).toMatchObject({
      code: 0,
      stdout: 'The limits of the account acme: requests unlimited, records 3, storage 1.0 MiB.\n',
    });
    expect(await load(3, '--max-records', '2')).toMatchObject({ code: 0 });
    expect(await load(1)).toMatchObject({ code: 1, stderr: expect.stringContaining('its limit is 3') });
    const { stdout } = await stockbook(['account', 'list', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ bytes: 3 * 73, recordLimit: 3, byteLimit: 1024 ** 2, limit: null });
    expect(await stockbook(['account', 'limit', 'acme'])).toMatchObject({ code: 2 });
    expect((await stockbook(['audit', '--action', 'account limit changed'])).stdout).toMatch(
      /limit=records from=null to=3/,
    );
    await database.drop();
  });
});

test('below the reserve of the disk, only what removes something is accepted', async () => {
  const database = join(folder.path, 'reserve.db');
  const key = await makeKey(database);
  const stockbook = (args: readonly string[]) =>
    commands.run([...args, '--database', database], { folder: folder.path });
  const reserve = ['--min-free-disk', '999999999'];
  const server = await serve(['--database', database, '--workers', '1', ...reserve], { folder: folder.path });
  try {
    expect(await send(server.port, createPartner('A', bearer(key)))).toMatchObject({
      status: 503,
      json: { code: 'store_exhausted' },
      headers: { 'retry-after': '60' },
    });
    expect(await send(server.port, { path: PARTNERS, headers: bearer(key) })).toRespond(200);
    expect(server.output().stderr).toContain('are kept in reserve (--min-free-disk)');
    writeFileSync(join(folder.path, 'partners.csv'), 'name\nA\n');
    expect(await stockbook(['import', 'acme', 'partner', 'partners.csv', ...reserve])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nothing can be added'),
    });
    expect(await stockbook(['key', 'revoke', key])).toMatchObject({ code: 0 });
    await expect.poll(async () => (await send(server.port, { path: PARTNERS, headers: bearer(key) })).status).toBe(401);
    expect(await stockbook(['account', 'remove', 'acme', '--yes'])).toMatchObject({ code: 0 });
  } finally {
    server.child.kill();
    await server.finished;
  }
});
