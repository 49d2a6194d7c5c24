import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { claimOf } from '../../src/access/host.ts';
import { hashSecret, mintKey, printKey, readKey, secretMatches } from '../../src/access/key.ts';

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
