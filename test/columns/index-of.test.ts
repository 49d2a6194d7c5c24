import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indexOf } from '../../src/columns/index-of.ts';

test('finds what Buffer.indexOf finds', () => {
  const bytes = fc.array(fc.constantFrom('a', 'b'), { maxLength: 200 }).map((letters) => Buffer.from(letters.join('')));
  fc.assert(
    fc.property(bytes, bytes, fc.nat(200), fc.nat(3), (text, wanted, from, copies) => {
      // Long enough to be searched in several parts, with matches at their boundaries.
      const long = Buffer.concat([Buffer.alloc(copies * 65_536 - (copies > 0 ? 100 : 0), 'a'), text]);
      if (wanted.length > 0) expect(indexOf(long, wanted, from)).toBe(long.indexOf(wanted, from));
    }),
    { numRuns: 500 },
  );
});

test('texts that are searched slowly are found as well', () => {
  const wanted = Buffer.from(`${'ab'.repeat(100)}b${'a'.repeat(300)}`);
  const text = Buffer.alloc(2_000_000, 'a');
  expect(indexOf(text, wanted, 0)).toBe(-1);
  wanted.copy(text, 1_500_000);
  expect(indexOf(text, wanted, 0)).toBe(1_500_000);
  expect(indexOf(text, wanted, 1_500_001)).toBe(-1);
});
