/**
 * The words in many texts that are most like those that were searched for in vain. A word of letters is compared with every run of letters and
 * digits; a word with a digit, as codes have, or with any other character, with everything between two spaces.
 */

import { distance } from 'fastest-levenshtein';
import { compact } from '../../../catalog/fold.ts';
import { bitsIn } from './bitmap.ts';

/** How many are named for each word. */
const MAX_NEAREST = 3;

/** The maximum number of words that are compared. Somebody who has misspelt more needs other help. */
const MAX_WANTED = 4;

/** How many are remembered for each word, all of which are equally like it. There may be more of them if there are many similar codes. */
const MAX_CANDIDATES = 1_000;

/**
 * How many words are remembered that are not similar, so that they are not compared again. Longer ones are not: a part of a text with more
 * characters keeps the whole text in memory.
 */
const MAX_DISSIMILAR = 50_000;
const MAX_REMEMBERED_LENGTH = 12;

export class NearestWords {
  readonly #wanted: readonly WantedWord[];
  /** Words that are separated in the same way. */
  readonly #groups: readonly (readonly [Separator, readonly WantedWord[]])[];

  /** Folded. Only the first ones count. */
  constructor(words: readonly string[]) {
    this.#wanted = words.slice(0, MAX_WANTED).map((word) => new WantedWord(word));
    this.#groups = [...Map.groupBy(this.#wanted, ({ isSeparator }) => isSeparator)];
  }

  /** A folded text. */
  add(text: string): void {
    for (const [isSeparator, wanted] of this.#groups)
      for (let start = 0, end = 0, { length } = text; end <= length; end += 1) {
        if (end < length && !isSeparator(text.charCodeAt(end))) continue;
        if (end > start) {
          const word = text.slice(start, end);
          for (const each of wanted) each.compareWith(word);
        }
        start = end + 1;
      }
  }

  /** For each word, those that are most like it, the most frequent first. */
  get found(): readonly (readonly string[])[] {
    return this.#wanted.map((wanted) => wanted.nearest);
  }
}

/** Whether a UTF-16 code unit separates words. */
type Separator = (code: number) => boolean;

class WantedWord {
  readonly isSeparator: Separator;
  readonly #isCode: boolean;
  readonly #text: string;
  readonly #letters: number;
  /** That of the candidates, if there are any. */
  #maxDistance: number;
  /** How often each was found. */
  readonly #candidates = new Map<string, number>();
  readonly #dissimilar = new Set<string>();

  constructor(word: string) {
    this.#isCode = DIGIT.test(word);
    this.#text = this.#isCode ? compact(word) : word;
    this.#letters = lettersOf(this.#text);
    const isPlain = ![...word].some((character) => isNoLetter(character.charCodeAt(0)));
    this.isSeparator = !this.#isCode && isPlain ? isNoLetter : isSpace;
    this.#maxDistance = WORD.test(word) ? allowedDistance(this.#text) : NONE;
  }

  compareWith(word: string): void {
    const text = this.#isCode ? compact(word) : word;
    if (Math.abs(text.length - this.#text.length) > this.#maxDistance) return;
    if (missingLetters(this.#letters, lettersOf(text)) > this.#maxDistance) return;
    const known = this.#candidates.get(word);
    if (known !== undefined) {
      this.#candidates.set(word, known + 1);
      return;
    }
    if (this.#dissimilar.has(word)) return;
    const changes = isSwapped(this.#text, text) ? 1 : distance(this.#text, text);
    if (changes > this.#maxDistance || (this.#isCode && !DIGIT.test(word))) {
      if (word.length <= MAX_REMEMBERED_LENGTH && this.#dissimilar.size < MAX_DISSIMILAR) this.#dissimilar.add(word);
      return;
    }
    if (changes < this.#maxDistance) this.#candidates.clear();
    this.#maxDistance = changes;
    if (this.#candidates.size < MAX_CANDIDATES) this.#candidates.set(word, 1);
  }

  get nearest(): readonly string[] {
    return [...this.#candidates]
      .toSorted(([a, countOfA], [b, countOfB]) => countOfB - countOfA || (a < b ? -1 : 1))
      .slice(0, MAX_NEAREST)
      .map(([word]) => word);
  }
}

/** A bit for each character that a text has. Some share one. */
function lettersOf(text: string): number {
  let letters = 0;
  for (let at = 0, { length } = text; at < length; at += 1) letters |= 1 << (text.charCodeAt(at) & 31);
  return letters;
}

/** Each of them has to be changed, so it is at most the distance of two texts. */
function missingLetters(one: number, other: number): number {
  return Math.max(bitsIn(one & ~other), bitsIn(other & ~one));
}

/** Whether two texts differ only in the order of two adjacent letters. */
function isSwapped(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  if (at === one.length) return false;
  return one[at] === other[at + 1] && one[at + 1] === other[at] && one.slice(at + 2) === other.slice(at + 2);
}

/** How many letters may differ. */
function allowedDistance({ length }: string): number {
  return length < 4 ? 1 : Math.max(2, Math.floor(length / 3));
}

const DIGIT = /\p{N}/u;

/** Signs are like any other. */
const WORD = /[\p{L}\p{N}]/u;
const NONE = -1;

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0xa0 || (code >= 0x09 && code <= 0x0d);
}

/** Everything that is not ASCII counts as a letter. */
function isNoLetter(code: number): boolean {
  const isLetter = code >= 0x80 || (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
  return !isLetter || code === 0xa0;
}
