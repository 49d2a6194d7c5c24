/** `stockbook account set`, with the real program: the currency of an account. */

import { describe, expect, test } from 'vitest';
import { aboveStore } from '../support/above-store.ts';
import { commands } from '../support/commands.ts';
import { sharedFolder } from '../support/shared.ts';

const folder = sharedFolder();

describe.each(aboveStore)('on $name', (engine) => {
  test('the currency of an account is set, listed and removed', async () => {
    const database = await engine.makeMigrated();
    const stockbook = (...args: readonly string[]) =>
      commands.run([...args, '--database', database.url], { folder: folder.path });
    const listed = async () => JSON.parse((await stockbook('account', 'list', '--json')).stdout).currency;
    await stockbook('account', 'add', 'acme');
    expect(await listed()).toBeNull();
    expect((await stockbook('account', 'list')).stdout).toMatch(/CURRENCY\nacme .* none\n$/);
    expect(await stockbook('account', 'set', 'acme', '--currency', 'eur')).toEqual({
      code: 0,
      stdout: 'The currency of the account acme: EUR.\n',
      stderr: '',
    });
    expect(await listed()).toBe('EUR');
    expect((await stockbook('account', 'list')).stdout).toMatch(/^acme .* EUR$/m);
    expect(await stockbook('account', 'set', 'acme', '--currency', 'none')).toMatchObject({ code: 0 });
    expect(await listed()).toBeNull();
    const { stdout } = await stockbook('audit', '--action', 'account currency changed');
    expect(stdout).toMatch(/from=null to=EUR/);
    expect(stdout).toMatch(/from=EUR to=null/);
    expect(await stockbook('account', 'set', 'acme', '--currency', 'ERU')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'stockbook: --currency must be a code of ISO 4217, such as EUR, or none, not "ERU".\n',
    });
    expect(await stockbook('account', 'set', 'acme')).toMatchObject({
      code: 2,
      stderr: 'stockbook: Give --currency.\n',
    });
    expect(await stockbook('account', 'set', 'acne', '--currency', 'EUR')).toMatchObject({
      code: 1,
      stderr: 'stockbook: There is no account acne. Did you mean acme?\n',
    });
    await database.drop();
  });
});
