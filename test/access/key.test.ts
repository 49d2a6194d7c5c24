/** Keys: their text, their secrets, and the hashes of those. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { generateKey, hashSecret, printKey, readKey, secretMatches } from '../../src/access/key.ts';

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
