/** Keys: finding, revoking and replacing them. */

import { describe, expect, test } from 'vitest';
import { engines } from '../../support/engines.ts';
import { LATER, NOW, newKey } from '../../support/fixture.ts';
import { sharedStore } from '../../support/shared.ts';

const UNUSED = { lastUsedAt: null, revokedAt: null, replacedBy: null, sessionOf: null };

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);

  test('are found by their public id, with their account', async () => {
    const owner = await opened.account();
    const key = newKey('key-1', owner);
    await opened.store.keys.add(key);
    expect(await opened.store.keys.find('key-1')).toEqual({
      key: { ...key, ...UNUSED, keyExpiresAt: key.expiresAt },
      account: owner,
      access: expect.any(Number),
      catalog: await opened.store.fields.catalog(),
    });
    expect(await opened.store.keys.find('key-2')).toBeUndefined();
    expect(await opened.store.keys.list(owner.id)).toEqual([{ ...key, ...UNUSED, keyExpiresAt: key.expiresAt }]);
  });

  test('are listed by account', async () => {
    const [one, other] = [await opened.account(), await opened.account()];
    await opened.store.keys.add(newKey('key-of-one', one));
    await opened.store.keys.add(newKey('key-of-other', other));
    expect((await opened.store.keys.list(one.id)).map(({ id }) => id)).toEqual(['key-of-one']);
  });

  test('keep the latest time of use, whatever order uses are recorded in', async () => {
    const owner = await opened.account();
    await opened.store.keys.add(newKey('key-4', owner));
    await opened.store.keys.recordUse(new Map([['key-4', LATER]]));
    await opened.store.keys.recordUse(new Map([['key-4', NOW]]));
    expect((await opened.store.keys.find('key-4'))?.key.lastUsedAt).toBe(LATER);
  });

  test('can be revoked, and record when they were last used', async () => {
    const owner = await opened.account();
    await opened.store.keys.add({ ...newKey('key-3', owner), expiresAt: null, scopes: ['read', 'write'] });
    await opened.store.keys.recordUse(
      new Map([
        ['key-3', NOW],
        ['unknown', NOW],
      ]),
    );
    await opened.store.keys.revoke('key-3', LATER);
    expect((await opened.store.keys.find('key-3'))?.key).toMatchObject({
      expiresAt: null,
      lastUsedAt: NOW,
      revokedAt: LATER,
      scopes: ['read', 'write'],
    });
    await opened.store.keys.revoke('key-3', NOW);
    expect((await opened.store.keys.find('key-3'))?.key.revokedAt).toBe(LATER);
  });

  const EVEN_LATER = '2026-03-03T12:00:00.000Z';
  test.each([
    [null, LATER, { expiresAt: LATER, revokedAt: null }],
    [EVEN_LATER, LATER, { expiresAt: LATER, revokedAt: null }],
    [LATER, EVEN_LATER, { expiresAt: LATER, revokedAt: null }],
    [null, null, { expiresAt: null, revokedAt: NOW }],
    [LATER, null, { expiresAt: LATER, revokedAt: NOW }],
  ])('that expire at %s and are replaced, with an overlap until %s', async (expiresAt, overlapEnds, expected) => {
    const owner = await opened.account();
    const [old, successor] = [`old of ${owner.name}`, newKey(`new of ${owner.name}`, owner)];
    await opened.store.keys.add({ ...newKey(old, owner), expiresAt });
    const before = (await opened.store.keys.find(old))?.access;
    expect(await opened.store.keys.replace(old, successor, overlapEnds)).toBe(true);
    expect(await opened.store.keys.find(old)).toMatchObject({ key: { ...expected, replacedBy: successor.id } });
    expect(await opened.store.keys.find(successor.id)).toMatchObject({ key: successor });
    expect((await opened.store.keys.find(old))?.access).not.toBe(before);
  });

  test('that have been revoked or replaced are not replaced', async () => {
    const owner = await opened.account();
    for (const name of ['revoked', 'replaced']) {
      const [old, first, second] = ['old', 'first', 'second'].map((word) => newKey(`${word} ${name}`, owner));
      if (old === undefined || first === undefined || second === undefined) throw new Error('a key is missing');
      await opened.store.keys.add(old);
      if (name === 'revoked') await opened.store.keys.revoke(old.id, LATER);
      else expect(await opened.store.keys.replace(old.id, first, LATER)).toBe(true);
      const before = await opened.store.keys.find(old.id);
      expect(await opened.store.keys.replace(old.id, second, null)).toBe(false);
      expect(await opened.store.keys.find(old.id)).toEqual(before);
      expect(await opened.store.keys.find(second.id)).toBeUndefined();
    }
  });
});
