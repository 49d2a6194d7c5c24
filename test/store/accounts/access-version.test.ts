/** What a caller may do depends on the access version that it was granted. */

import { describe, expect, test } from 'vitest';
import { partner } from '../../../src/catalog/partner.ts';
import { planCreate } from '../../../src/plan/create.ts';
import { planList } from '../../../src/plan/list.ts';
import { planRecord } from '../../../src/plan/record.ts';
import type { Account, Caller } from '../../../src/store/store.ts';
import { engines } from '../../support/engines.ts';
import { NOW, newKey, planned } from '../../support/fixture.ts';
import { sharedStore } from '../../support/shared.ts';

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);

  const planOf = (name: string) => planned(planCreate(partner, { name }, NOW));
  const one = planned(planRecord(partner, '1', { values: {}, continuations: [] }));
  const all = planned(planList(partner, { values: {}, continuations: [] }));
  const callerOf = async ({ id }: Account) => ({
    account: id,
    access: (await opened.store.version(id))?.access ?? Number.NaN,
  });
  const versionOf = async ({ id }: Account) => {
    const version = (await opened.store.version(id))?.ledger.get('partner');
    if (version === undefined) throw new Error('the account does not exist');
    return version;
  };

  test('is verified by every statement, and accepted if it is current', async () => {
    const owner = await opened.account();
    const caller = await callerOf(owner);
    expect(await opened.store.records.create(caller, planOf('A'))).toEqual({ id: 1 });
    expect(await opened.store.records.find(caller, one)).toMatchObject({ kind: 'found', written: { revision: 1 } });
    expect(await opened.store.records.list(caller, all, await versionOf(owner))).toMatchObject({ total: 1 });
    expect(await openedExport(caller)).toMatchObject({ total: 1 });
  });

  const openedExport = async (caller: Caller) => {
    const lines = await opened.store.records.export(caller, { ...all, page: undefined, format: { kind: 'ndjson' } });
    if (lines !== 'no access') await lines.close();
    return lines;
  };

  test.each(['a key was added', 'a key was revoked', 'the account was removed'])(
    'has no access once %s, and nothing is written',
    async (change) => {
      const owner = await opened.account();
      await opened.store.keys.add(newKey(`key of ${owner.name}`, owner));
      await opened.create(owner, 'A');
      const [caller, version] = [await callerOf(owner), await versionOf(owner)];
      if (change === 'a key was added') await opened.store.keys.add(newKey(`other key of ${owner.name}`, owner));
      else if (change === 'a key was revoked') await opened.store.keys.revoke(`key of ${owner.name}`, NOW);
      else await opened.store.accounts.remove(owner.id);
      const creating = ['B', 'C', 'D'].map((name) => opened.store.records.create(caller, planOf(name)));
      expect(await Promise.all(creating)).toEqual(['no access', 'no access', 'no access']);
      expect(await opened.store.records.find(caller, one)).toBe('no access');
      expect(await opened.store.records.list(caller, all, version)).toBe('no access');
      expect(await openedExport(caller)).toBe('no access');
      if (change === 'the account was removed') return;
      expect((await opened.page(owner, partner)).total).toBe(1);
      expect(await opened.store.records.create(await callerOf(owner), planOf('E'))).toEqual({ id: 2 });
    },
  );

  test('of creates that arrive together, only those with the current one are written', async () => {
    const owner = await opened.account();
    const outdated = await callerOf(owner);
    await opened.store.keys.add(newKey(`key of ${owner.name}`, owner));
    const current = await callerOf(owner);
    const created = [outdated, current, outdated].map((caller) => opened.store.records.create(caller, planOf('A')));
    expect(await Promise.all(created)).toEqual(['no access', { id: 1 }, 'no access']);
  });
});
