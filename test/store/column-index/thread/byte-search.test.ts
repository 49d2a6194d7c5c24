import fc from 'fast-check';
import { expect, test } from 'vitest';
import { forEachMatch } from '../../../../src/store/column-index/thread/byte-search.ts';
import { rounds } from '../../../support/rounds.ts';

/** Matches that do not overlap. */
function found(bytes: Buffer, wanted: Buffer): readonly number[] {
  const matches: number[] = [];
  forEachMatch(bytes, wanted, (match) => {
    matches.push(match);
    return match + wanted.length;
  });
  return matches;
}

function expected(bytes: Buffer, wanted: Buffer): readonly number[] {
  const matches: number[] = [];
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + wanted.length)) matches.push(at);
  return matches;
}

test('finds what Buffer.indexOf finds', () => {
  const letters = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 200 });
  const bytes = letters.map((some) => Buffer.from(some.join('')));
  fc.assert(
    fc.property(bytes, bytes, fc.nat(3), fc.nat(99), (text, other, parts, length) => {
      const wanted = length === 0 ? other : text.subarray(-length);
      // Long enough to be searched in several parts, with matches around their boundaries.
      const long = Buffer.concat([Buffer.alloc(Math.max(0, parts * 65_536 - 100), 'a'), text, text]);
      expect(found(long, wanted)).toEqual(expected(long, wanted));
    }),
    { numRuns: rounds(70, 200) },
  );
});

test.each([63, 64, 65, 66])('a text of %i bytes is found wherever parts of the search meet', (length) => {
  const wanted = Buffer.from(`b${'a'.repeat(length - 2)}b`);
  for (const at of [0, 1, 32_768 - length, 32_768 - length + 1, 32_767, 32_768, 65_536 - length + 1, 65_535]) {
    const text = Buffer.alloc(70_000, 'a');
    wanted.copy(text, at);
    expect(found(text, wanted)).toEqual([at]);
    expect(found(text.subarray(0, at + length), wanted)).toEqual([at]);
    expect(found(text.subarray(0, at + length - 1), wanted)).toEqual([]);
  }
});

test('texts for which Buffer.indexOf takes long are found as well', () => {
  const wanted = Buffer.from(`${'ab'.repeat(100)}b${'a'.repeat(300)}`);
  const text = Buffer.alloc(2_000_000, 'a');
  expect(found(text, wanted)).toEqual([]);
  wanted.copy(text, 1_200_000);
  wanted.copy(text, 1_200_000 + wanted.length);
  wanted.copy(text, text.length - wanted.length);
  expect(found(text, wanted)).toEqual([1_200_000, 1_200_000 + wanted.length, text.length - wanted.length]);
});
