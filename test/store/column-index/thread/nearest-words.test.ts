/** The words that are most like those that were searched for in vain. */

import { expect, test } from 'vitest';
import { NearestWords } from '../../../../src/store/column-index/thread/nearest-words.ts';

function nearest(word: string, texts: Iterable<string>): readonly string[] | undefined {
  const words = new NearestWords([word]);
  for (const text of texts) words.add(text);
  return words.found[0];
}

test('of many similar codes, the nearest is found wherever it is', () => {
  const codes = Array.from({ length: 100_000 }, (_, index) => `sku-${String(900_000 + index).padStart(7, '0')}`);
  expect(nearest('sku-0999998x', codes)).toEqual(['sku-0999998']);
  expect(nearest('sku-0999998x', codes.toReversed())).toEqual(['sku-0999998']);
});

test('the most frequent of equally near words come first, three at most', () => {
  expect(nearest('chiar', ['chair', 'chin chair', 'chain', 'oak chair'])).toEqual(['chair']);
  expect(nearest('oak', ['oat', 'oar oar', 'oax', 'ozk ozk ozk'])).toEqual(['ozk', 'oar', 'oat']);
});

test('a code with other separators is the nearest', () => {
  expect(nearest('m8-x40', ['screw m8x45', 'screw m8x41', 'screw m8x40', 'screw m8x45'])).toEqual(['m8x40']);
});

test('a word with an apostrophe is compared as a whole', () => {
  expect(nearest("o'brein", ["patrick o'brien", 'o brien', 'brown'])).toEqual(["o'brien"]);
});

test('nothing is like it', () => {
  expect(nearest('>', ['black & white', 'a b'])).toEqual([]);
  expect(nearest('xylophone', ['oak chair', ''])).toEqual([]);
  expect(nearest('oak', [])).toEqual([]);
});
