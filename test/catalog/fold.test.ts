import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fold } from '../../src/catalog/fold.ts';
import { rounds } from '../support/rounds.ts';

test.each([
  ['Crème BRÛLÉE', 'crème brûlée'],
  ['Cre\u0300me', 'crème'],
  ['ΟΔΟΣ', 'οδοσ'],
  ['οδος', 'οδοσ'],
  ['μαΐου', 'μαΐου'],
  ['ΜΑΪ\u0301ΟΥ', 'μαΐου'],
  ['\u01f0', '\u01f0'],
  ['J\u030c', '\u01f0'],
  ['j\u030c', '\u01f0'],
  ['İ', 'i\u0307'],
  ['\u212b\u2126\u212a', 'åωk'],
  ['Straße', 'straße'],
  ['%_\\*', '%_\\*'],
  ['\u{1F600}A', '\u{1F600}a'],
])('fold(%j) is %j', (text, folded) => {
  expect(fold(text)).toBe(folded);
});

/** What folding promises for every text, or the first promise it breaks. */
function brokenPromise(text: string): string | undefined {
  const folded = fold(text);
  if (fold(folded) !== folded) return 'folding twice is folding once';
  if (folded !== folded.normalize('NFC')) return 'the folded form is composed';
  if (fold(text.normalize('NFC')) !== folded) return 'composing changes nothing';
  if (fold(text.normalize('NFD')) !== folded) return 'decomposing changes nothing';
  const [lower, upper] = [text.toLowerCase(), text.toUpperCase()];
  if (fold(lower) !== folded) return 'lowercasing changes nothing';
  // `ß` and `SS` are different texts: only what can be lowercased again is the same in capitals.
  const isReversible = upper.toLowerCase().normalize() === lower.normalize();
  return isReversible && fold(upper) !== folded ? 'capitals change nothing' : undefined;
}

/** Every code point, lone surrogates included; special ones have case or take part in normalization. */
const characters = Array.from({ length: 0x11_0000 }, (_, code) => String.fromCodePoint(code));
const { special = [], plain = [] } = Object.groupBy(characters, (character) =>
  character.toLowerCase() === character &&
  character.toUpperCase() === character &&
  character.normalize('NFD') === character &&
  !/\p{Mark}/u.test(character)
    ? 'plain'
    : 'special',
);

test('every special character keeps the promises, and every other is its own folded form', () => {
  expect(special.filter((character) => brokenPromise(character) !== undefined)).toEqual([]);
  expect(plain.filter((character) => fold(character) !== character)).toEqual([]);
});

test('combinations of letters and marks keep the promises', () => {
  const marks = special.filter((character) => /[\u0300-\u036f]/.test(character));
  const pieces = [fc.constantFrom(...special), fc.constantFrom(...marks), fc.constantFrom(...'aiIjJsSΣςσ ')];
  fc.assert(
    fc.property(fc.string({ unit: fc.oneof(...pieces), maxLength: 8 }), (text) => {
      expect(brokenPromise(text)).toBeUndefined();
    }),
    { numRuns: rounds(1_500, 5_000) },
  );
});

test('part of a text is found in the text in capitals', () => {
  const greek = fc.string({ unit: fc.constantFrom(...'αιουσςΐϊά\u0301\u0308 '), maxLength: 6 });
  fc.assert(
    fc.property(greek, greek, greek, (before, part, after) => {
      // A mark at the start of a part would belong to the letter before it.
      fc.pre(!/^\p{Mark}/u.test(part) && !/^\p{Mark}/u.test(after));
      expect(fold(`${before}${part}${after}`.toUpperCase())).toContain(fold(part));
    }),
  );
});
