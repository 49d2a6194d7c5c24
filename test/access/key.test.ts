import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { grantAccess } from '../../src/access/grant.ts';
import { claimOf } from '../../src/access/host.ts';
import { hashSecret, mintKey, printKey, readKey, secretMatches } from '../../src/access/key.ts';
import { RateLimiter } from '../../src/access/rate-limiter.ts';
import type { StoredKey } from '../../src/store/store.ts';

describe('keys', () => {
  test('are one word, and read back', () => {
    const key = mintKey();
    expect(printKey(key)).toMatch(/^sbk_[A-Za-z0-9_]+$/);
    expect(readKey(printKey(key))).toEqual(key);
  });

  test('carry at least 160 random bits', () => {
    const { secret } = mintKey();
    expect(secret.length * Math.log2(62)).toBeGreaterThanOrEqual(160);
    const letters = Array.from({ length: 50 }, () => mintKey().secret).join('');
    expect(new Set(letters).size).toBe(62);
  });

  test('are not read with any one character changed', () => {
    const text = printKey(mintKey());
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom(...'0123456789abcXYZ_- é'), (at, letter) => {
        const changed = text.slice(0, at) + letter + text.slice(at + 1);
        expect(readKey(changed) === undefined).toBe(changed !== text);
      }),
    );
  });

  test('match the hash of their own secret, and no other', () => {
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
    ['localhost', 'localhost', { kind: 'open' }],
    ['127.0.0.1:8080', 'localhost', { kind: 'open' }],
    ['[::1]:8080', 'localhost', { kind: 'open' }],
    ['[::1]', 'localhost', { kind: 'open' }],
    [undefined, 'localhost', { kind: 'open' }],
    ['acme.stock.example.com', 'stock.example.com', { kind: 'account', name: 'acme' }],
    ['stock.example.com', 'stock.example.com', { kind: 'foreign' }],
    ['acme.localhost', 'stock.example.com', { kind: 'foreign' }],
    ['xstock.example.com', 'stock.example.com', { kind: 'foreign' }],
    [undefined, 'stock.example.com', { kind: 'foreign' }],
  ])('%s under %s', (host, domain, claim) => {
    expect(claimOf(host, domain)).toEqual(claim);
  });
});

describe('the rate limiter', () => {
  const statuses = (limiter: RateLimiter, times: readonly number[]) =>
    times.map((time) => (limiter.take('k', time) === undefined ? 'ok' : 'no'));

  test('lets so many pass in a second, and as many at once after a pause', () => {
    const limiter = new RateLimiter(2);
    expect(statuses(limiter, [0, 0, 0, 400, 500, 500, 60_000, 60_000, 60_000])).toEqual([
      'ok',
      'ok',
      'no',
      'no',
      'ok',
      'no',
      'ok',
      'ok',
      'no',
    ]);
  });

  test('counts each key by itself, and says when to come again', () => {
    const limiter = new RateLimiter(1);
    expect([limiter.take('a', 0), limiter.take('b', 0)]).toEqual([undefined, undefined]);
    expect(limiter.take('a', 100)).toMatchObject({
      code: 'too_many_requests',
      circumstances: { headers: { 'retry-after': '1' } },
    });
  });

  test('at 0 lets everything pass', () => {
    expect(statuses(new RateLimiter(0), Array(100).fill(0))).not.toContain('no');
  });
});

describe('the end of a key', () => {
  const account = { id: 1, name: 'acme', createdAt: '2026-01-01T00:00:00.000Z' };
  const key = mintKey();
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
      ...{ expiresAt: ends.expiresAt ?? null, revokedAt: ends.revokedAt ?? null, lastUsedAt: null },
    };
    return grantAccess(
      { host: 'acme.localhost', authorization: `Bearer ${printKey(key)}` },
      { find: async () => ({ key: stored, account, access: 0 }) },
      'localhost',
      now,
    );
  };

  test.each([
    [{ expiresAt: '2026-02-01T00:00:00.000Z' }],
    [{ revokedAt: '2026-02-01T00:00:00.000Z' }],
    [{ revokedAt: '2026-02-01T00:00:00.000Z', expiresAt: '2027-01-01T00:00:00.000Z' }],
  ])('%j is that very millisecond', async (ends) => {
    expect(await at('2026-01-31T23:59:59.999Z', ends)).toMatchObject({ account });
    expect(await at('2026-02-01T00:00:00.000Z', ends)).toMatchObject({ code: 'key_not_accepted' });
  });
});
