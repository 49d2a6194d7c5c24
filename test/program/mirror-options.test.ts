/** The flags of `stockbook mirror`, and the mirror of another Stockbook as a command. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { aboveStore } from '../support/above-store.ts';
import { commands } from '../support/commands.ts';
import { sqlite } from '../support/engines.ts';
import { addAccount, load } from '../support/fixture.ts';
import { ODOO_DATABASE, ODOO_KEY } from '../support/odoo-database.ts';
import { openMirrorBed } from '../support/odoo-mirror.ts';
import { kill, start } from '../support/program.ts';
import { PARTNERS, PRODUCTS } from '../support/rows.ts';
import { bearer } from '../support/service.ts';
import { sharedFolder, sharedService } from '../support/shared.ts';

const folder = sharedFolder();

let files = 0;

/** A file with this key. */
function keyFile(key: string): string {
  files += 1;
  const path = join(folder.path, `${files}.key`);
  writeFileSync(path, `${key}\n`);
  return path;
}

describe.each(aboveStore)('stockbook mirror stockbook, on $name', (engine) => {
  const service = sharedService(engine);

  let mirrors = 0;

  /** An account with records, and one without. */
  const connected = async () => {
    mirrors += 1;
    const [office, copy] = [
      await addAccount(service.store, `office-${mirrors}`),
      await addAccount(service.store, `copy-${mirrors}`),
    ];
    await load(service.store, office, product, [{ id: 3, name: 'Oak Chair', list_price: 120.5 }]);
    await load(service.store, office, partner, [{ id: 5, name: 'Azure Interior', city: 'Berlin' }]);
    const url = `http://127.0.0.1:${service.port}`;
    const from = await service.issue(office, { scopes: ['read'] });
    const key = await service.issue(copy, { scopes: ['read', 'edit'] });
    const textOf = async (path: string, of: string) => (await service.send({ path, headers: bearer(of) })).text;
    return {
      copy,
      flags: ['--from', url, '--from-key-file', keyFile(from), '--url', url, '--key-file', keyFile(key)],
      original: (path: string) => textOf(path, from),
      copied: (path: string) => textOf(path, key),
    };
  };
  const mirror = (...args: readonly string[]) =>
    commands.run(['mirror', 'stockbook', ...args], { folder: folder.path });

  test('with --once, makes both accounts equal, and says so', async () => {
    const { flags, original, copied } = await connected();
    expect(await mirror(...flags, '--once')).toEqual({
      code: 0,
      stdout: expect.stringMatching(
        /^\S+ stockbook\/product: 1 created, .*\n\S+ stockbook\/partner: 1 created, .*\nThe accounts are equal\.\n$/,
      ),
      stderr: '',
    });
    expect(await mirror(...flags, '--once')).toEqual({ code: 0, stdout: 'The accounts are equal.\n', stderr: '' });
    for (const path of [PRODUCTS, PARTNERS]) expect(await copied(path)).toBe(await original(path));
  });

  test('with --resource and --source, copies that resource, and calls the source so', async () => {
    const { flags, original, copied } = await connected();
    expect(await mirror(...flags, '--once', '--resource', 'partner', '--source', 'office')).toMatchObject({ code: 0 });
    expect(await copied(PARTNERS)).toBe(await original(PARTNERS));
    expect(JSON.parse(await copied(PRODUCTS))).toMatchObject({ meta: { total: 0 } });
    expect(JSON.parse(await copied('/api/v1/sources'))).toMatchObject({ data: [{ name: 'office/partner' }] });
  });

  test('with --confirm-removals, replaces records that no mirror has written', async () => {
    const { flags, copy, original, copied } = await connected();
    await load(service.store, copy, partner, [{ id: 9, name: 'Mine' }]);
    expect(await mirror(...flags, '--once')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('that no mirror has written'),
    });
    expect(await mirror(...flags, '--once', '--confirm-removals')).toMatchObject({ code: 0 });
    expect(await copied(PARTNERS)).toBe(await original(PARTNERS));
  });

  test('without --once, follows until it is told to stop', async () => {
    const { flags, copied } = await connected();
    const running = start(['mirror', 'stockbook', ...flags], { folder: folder.path });
    onTestFinished(() => kill(running));
    await expect.poll(() => copied(PRODUCTS)).toContain('Oak Chair');
    running.child.kill('SIGTERM');
    expect(await running.finished).toEqual({
      code: 0,
      stdout: expect.stringMatching(/ Mirroring http:.*\n.* Stopped\.\n$/s),
      stderr: '',
    });
  });

  test.each([
    [['--from', 'here'], 2, '--from must be'],
    [['--from-key-file', 'missing'], 1, 'missing cannot be read'],
    [['--resource', 'products'], 2, '--resource must be one of product, partner, company, not "products".'],
  ])('%j is an error', async (args, code, message) => {
    const { flags } = await connected();
    expect(await mirror(...flags, '--once', ...args)).toMatchObject({ code, stderr: expect.stringContaining(message) });
  });
});

describe('stockbook mirror odoo', () => {
  const service = sharedService(sqlite);

  const connected = async () => {
    const bed = await openMirrorBed(service, 19);
    const { odoo, account } = bed.options;
    const flags = [
      ...['--odoo-url', odoo.url, '--odoo-db', ODOO_DATABASE, '--odoo-key-file', keyFile(ODOO_KEY)],
      ...['--url', account.url, '--key-file', keyFile(account.key)],
    ];
    return { ...bed, flags };
  };

  test.each([
    [['--lang', 'de_DE'], 1, 'The language de_DE (--lang) is not installed in Odoo. Installed are en_US, fr_FR.'],
    [['--removal-interval', '0'], 2, '--removal-interval must be a number above 0, and at most 1000000000, not "0".'],
    [['--requests-per-second', '-1'], 2, '--requests-per-second must be a number above 0'],
    [['--interval', '86401'], 2, '--interval must be a number above 0, and at most 86400, not "86401".'],
    [['--compare-every', 'day'], 2, '--compare-every must be a number above 0'],
  ])('%j is an error', async (args, code, message) => {
    const { flags } = await connected();
    const finished = await commands.run(['mirror', 'odoo', ...flags, '--once', ...args], { folder: folder.path });
    expect(finished).toMatchObject({ code, stderr: expect.stringContaining(message) });
  });

  test('with --odoo-moved, it goes on at another address', async () => {
    const { odoo, flags, records } = await connected();
    const mirror = (...more: readonly string[]) =>
      commands.run(['mirror', 'odoo', ...flags, '--once', ...more], { folder: folder.path });
    odoo.create('product.product', { name: 'Chair' });
    expect(await mirror()).toMatchObject({ code: 0 });
    const moved = flags.indexOf('--odoo-url') + 1;
    flags[moved] = flags[moved]?.replace('127.0.0.1', 'localhost') ?? '';
    odoo.create('product.product', { name: 'Desk' });
    expect(await mirror()).toMatchObject({ code: 1, stderr: expect.stringContaining('--odoo-moved') });
    expect(await mirror('--odoo-moved')).toMatchObject({ code: 0 });
    expect((await records('inventory/product')).map(({ name }) => name)).toEqual(['Chair', 'Desk']);
  });

  test('with short intervals, what is created and removed in Odoo follows soon', async () => {
    const { odoo, flags, records } = await connected();
    const chair = odoo.create('product.product', { name: 'Chair' });
    const fast = ['--interval', '0.05', '--removal-interval', '0.05', '--requests-per-second', '1000'];
    const running = start(['mirror', 'odoo', ...flags, ...fast, '--lang', 'fr_FR'], { folder: folder.path });
    onTestFinished(() => kill(running));
    const names = async () => (await records('inventory/product')).map(({ name }) => name);
    await expect.poll(names).toEqual(['Chair']);
    odoo.create('product.product', { name: 'Desk' });
    await expect.poll(names).toEqual(['Chair', 'Desk']);
    odoo.unlink('product.product', chair);
    await expect.poll(names).toEqual(['Desk']);
  });
});
