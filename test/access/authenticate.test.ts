/** When a key that expires or is revoked is no longer accepted. */

import { expect, test } from 'vitest';
import { authenticate } from '../../src/access/authenticate.ts';
import { generateKey, hashSecret, printKey } from '../../src/access/key.ts';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import { NO_LIMITS } from '../../src/store/accounts/account-limits.ts';
import type { StoredKey } from '../../src/store/store.ts';

const account = { id: 1, name: 'acme', createdAt: '2026-01-01T00:00:00.000Z', ...NO_LIMITS, currency: null };
const key = generateKey();
const at = (now: string, ends: { expiresAt?: string; revokedAt?: string }) => {
  const stored: StoredKey = {
    ...{
      id: key.id,
      account: 1,
      name: 'x',
      secretHash: hashSecret(key.secret),
      scopes: ['read'],
      createdAt: account.createdAt,
    },
    ...{ expiresAt: ends.expiresAt ?? null, revokedAt: ends.revokedAt ?? null },
    ...{ lastUsedAt: null, replacedBy: null, rateLimit: null, sessionOf: null, keyExpiresAt: null },
  };
  return authenticate(
    { headers: { host: 'acme.localhost', authorization: `Bearer ${printKey(key)}` } },
    { find: async () => ({ key: stored, account, access: 0, catalog: builtInCatalog }) },
    'localhost',
    now,
  );
};

test('expires in the very millisecond', async () => {
  const ends = { expiresAt: '2026-02-01T00:00:00.000Z' };
  expect(await at('2026-01-31T23:59:59.999Z', ends)).toMatchObject({ account });
  expect(await at('2026-02-01T00:00:00.000Z', ends)).toMatchObject({
    reason: 'expired',
    problem: { code: 'key_not_accepted' },
  });
});

test.each(['2026-01-31T23:00:00.000Z', '2026-02-01T00:00:00.000Z', '2026-02-01T01:00:00.000Z'])(
  'is revoked whatever the time is: %s',
  async (now) => {
    for (const ends of [{}, { expiresAt: '2027-01-01T00:00:00.000Z' }])
      expect(await at(now, { ...ends, revokedAt: '2026-02-01T00:00:00.000Z' })).toMatchObject({
        reason: 'revoked',
        problem: { code: 'key_not_accepted', detail: 'This key was revoked on 2026-02-01T00:00:00.000Z.' },
      });
  },
);
