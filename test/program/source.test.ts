/** stockbook source */

import { expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { commands } from '../support/commands.ts';
import { engines, openDatabase } from '../support/engines.ts';
import { addAccount, load } from '../support/fixture.ts';
import { sharedFolder } from '../support/shared.ts';

const folder = sharedFolder();

test.each(engines)('sources can be listed and removed on $name', async (engine) => {
  const database = await engine.makeMigrated();
  try {
    const store = await openDatabase(database.url);
    try {
      const acme = await addAccount(store, 'acme');
      await addAccount(store, 'globex');
      for (const [name, position] of [
        ['erp', '7'],
        ['watch:partner', 'a\u001bb'],
      ] as const)
        await load(store, acme, partner, [], { import: { source: { name, position } } });
      await store.imports.reportSource({ account: acme.id }, 'erp', 'The ERP is down.');
    } finally {
      await store.close();
    }
    const source = (...args: readonly string[]) =>
      commands.run(['source', ...args, '--database', database.url], { folder: folder.path });
    const TIME = String.raw`\d{4}-\d\d-\d\dT\S+Z`;
    const { stdout } = await source('list', 'acme');
    expect(stdout).toMatch(/^SOURCE +RESOURCE +SAVED +CHECKED +FAILS WITH +POSITION\n/);
    expect(stdout).toMatch(new RegExp(`\\nerp +partner +${TIME} +The ERP is down\\. +7\\n`));
    expect(stdout).toMatch(new RegExp(`\\nwatch:partner +partner +${TIME} +a\\\\u001bb\\n$`));
    expect(JSON.parse((await source('list', 'acme', '--json')).stdout.split('\n')[0] ?? '')).toMatchObject({
      name: 'erp',
      position: '7',
      failure: { error: 'The ERP is down.' },
    });
    expect(await source('list', 'globex')).toEqual({
      code: 0,
      stdout: '',
      stderr: 'No import into globex has saved a position.\n',
    });
    expect(await source('remove', 'acme', 'erp')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'stockbook: This would remove the source erp of acme and its position, 7. Add --yes to do it.\n',
    });
    expect(await source('remove', 'acme', 'erb', '--yes')).toMatchObject({
      code: 1,
      stderr: 'stockbook: acme has no source erb. Did you mean erp?\n',
    });
    expect(await source('remove', 'acme', 'erp', '--yes')).toEqual({
      code: 0,
      stdout: 'Removed the source erp of acme. Its position was 7.\n',
      stderr: '',
    });
    expect(await source('remove', 'acme', 'something else', '--yes')).toMatchObject({
      code: 1,
      stderr: 'stockbook: acme has no source something else. "stockbook source list acme" shows all sources.\n',
    });
    expect((await source('list', 'acme')).stdout).not.toContain('erp');
  } finally {
    await database.drop();
  }
});
