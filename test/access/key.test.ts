import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { authenticate } from '../../src/access/authenticate.ts';
import { accountInHost } from '../../src/access/host.ts';
import { generateKey, hashSecret, printKey, readKey, secretMatches } from '../../src/access/key.ts';
import { NO_LIMITS } from '../../src/store/accounts/account-limits.ts';
import type { StoredKey } from '../../src/store/store.ts';

describe('keys', () => {
  test('are one word that can be read back', () => {
    const key = generateKey();
    expect(printKey(key)).toMatch(/^sbk_[A-Za-z0-9_]+$/);
    expect(readKey(printKey(key))).toEqual(key);
  });

  test('carry at least 160 random bits', () => {
    const { secret } = generateKey();
    expect(secret.length * Math.log2(62)).toBeGreaterThanOrEqual(160);
    const letters = Array.from({ length: 50 }, () => generateKey().secret).join('');
    expect(new Set(letters).size).toBe(62);
  });

  test('are rejected if any one character is changed', () => {
    const text = printKey(generateKey());
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom(...'0123456789abcXYZ_- é'), (at, letter) => {
        const changed = text.slice(0, at) + letter + text.slice(at + 1);
        expect(readKey(changed) === undefined).toBe(changed !== text);
      }),
    );
  });

  test('match only the hash of their own secret', () => {
    expect(secretMatches('s', hashSecret('s'))).toBe(true);
    expect(secretMatches('s', hashSecret('t'))).toBe(false);
    expect(secretMatches('', undefined)).toBe(false);
    expect(hashSecret('s')).toBe('043a718774c572bd8a25adbeb1bfcd5c0256ae11cecf9f9c3f925d0e52beaf89');
  });
});

describe('hosts', () => {
  test.each([
    ['acme.localhost', 'localhost', { kind: 'account', name: 'acme' }],
    ['ACME.localhost:8080', 'localhost', { kind: 'account', name: 'acme' }],
    ['acme.localhost.:8080', 'localhost', { kind: 'account', name: 'acme' }],
    ['a.b.localhost', 'localhost', { kind: 'account', name: 'a.b' }],
    ['localhost', 'localhost', { kind: 'any' }],
    ['127.0.0.1:8080', 'localhost', { kind: 'any' }],
    ['[::1]:8080', 'localhost', { kind: 'any' }],
    ['[::1]', 'localhost', { kind: 'any' }],
    [undefined, 'localhost', { kind: 'any' }],
    ['acme.stock.example.com', 'stock.example.com', { kind: 'account', name: 'acme' }],
    ['stock.example.com', 'stock.example.com', { kind: 'foreign' }],
    ['acme.localhost', 'stock.example.com', { kind: 'foreign' }],
    ['xstock.example.com', 'stock.example.com', { kind: 'foreign' }],
    [undefined, 'stock.example.com', { kind: 'foreign' }],
  ])('%s with the domain %s', (host, domain, claim) => {
    expect(accountInHost(host, domain)).toEqual(claim);
  });
});

describe('a key that expires or is revoked', () => {
  const account = { id: 1, name: 'acme', createdAt: '2026-01-01T00:00:00.000Z', ...NO_LIMITS };
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
      ...{ lastUsedAt: null, replacedBy: null, rateLimit: null },
    };
    return authenticate(
      { host: 'acme.localhost', authorization: `Bearer ${printKey(key)}` },
      { find: async () => ({ key: stored, account, access: 0 }) },
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
});
