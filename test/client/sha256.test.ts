import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Sha256 } from '../../src/client/sha256.ts';

test('hashes as Node does, whatever the parts', () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 200 }), { maxLength: 10 }), (parts) => {
      const [own, expected] = [new Sha256(), createHash('sha256')];
      for (const part of parts) {
        own.update(part);
        expected.update(part);
      }
      expect(own.digest()).toBe(expected.digest('hex'));
    }),
  );
});

test.each([0, 1, 55, 56, 57, 63, 64, 65, 119, 120, 128, 1_000_000])('hashes %i bytes', (length) => {
  const bytes = new Uint8Array(length).fill(0xa5);
  const hash = new Sha256();
  hash.update(bytes);
  expect(hash.digest()).toBe(createHash('sha256').update(bytes).digest('hex'));
});
