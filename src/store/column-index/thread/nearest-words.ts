/**
 * The words in many texts that are most like those that were searched for in vain. A word of letters is compared with every run of letters and
 * digits; a word with a digit, as codes have, or with any other character, with everything between two spaces.
 */

import { distance } from 'fastest-levenshtein';
import { compact } from '../../../catalog/fold.ts';

/** How many are named for each word. */
const MAX_NEAREST = 3;

/** How many are remembered for each word, all of which are equally like it. There may be more of them if there are many similar codes. */
const MAX_CANDIDATES = 1_000;

/** How many words are remembered that are not similar, so that they are not compared again. */
const MAX_DISSIMILAR = 50_000;

export class NearestWords {
  readonly #wanted: readonly WantedWord[];

  /** Folded. */
  constructor(words: readonly string[]) {
    this.#wanted = words.map((word) => new WantedWord(word));
  }

  /** A folded text. */
  add(text: string): void {
    for (const wanted of this.#wanted) wanted.compareWith(text);
  }

  /** For each word, those that are most like it, the most frequent first. */
  get found(): readonly (readonly string[])[] {
    return this.#wanted.map((wanted) => wanted.nearest);
  }
}

class WantedWord {
  readonly #isCode: boolean;
  readonly #text: string;
  readonly #isSeparator: (code: number) => boolean;
  /** That of the candidates, if there are any. */
  #maxDistance: number;
  /** How often each was found. */
  readonly #candidates = new Map<string, number>();
  readonly #dissimilar = new Set<string>();

  constructor(word: string) {
    this.#isCode = DIGIT.test(word);
    this.#text = this.#isCode ? compact(word) : word;
    const isPlain = ![...word].some((character) => isNoLetter(character.charCodeAt(0)));
    this.#isSeparator = !this.#isCode && isPlain ? isNoLetter : isSpace;
    this.#maxDistance = allowedDistance(this.#text);
  }

  compareWith(text: string): void {
    for (let start = 0, end = 0; end <= text.length; end += 1) {
      if (end < text.length && !this.#isSeparator(text.charCodeAt(end))) continue;
      if (end > start) this.#compare(text.slice(start, end));
      start = end + 1;
    }
  }

  #compare(word: string): void {
    const known = this.#candidates.get(word);
    if (known !== undefined) {
      this.#candidates.set(word, known + 1);
      return;
    }
    const text = this.#isCode ? compact(word) : word;
    if (Math.abs(text.length - this.#text.length) > this.#maxDistance || this.#dissimilar.has(word)) return;
    const letters = isSwapped(this.#text, text) ? 1 : distance(this.#text, text);
    if (letters > this.#maxDistance || (this.#isCode && !DIGIT.test(word))) {
      if (this.#dissimilar.size < MAX_DISSIMILAR) this.#dissimilar.add(word);
      return;
    }
    if (letters < this.#maxDistance) this.#candidates.clear();
    this.#maxDistance = letters;
    if (this.#candidates.size < MAX_CANDIDATES) this.#candidates.set(word, 1);
  }

  get nearest(): readonly string[] {
    return [...this.#candidates]
      .toSorted(([a, countOfA], [b, countOfB]) => countOfB - countOfA || (a < b ? -1 : 1))
      .slice(0, MAX_NEAREST)
      .map(([word]) => word);
  }
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

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0xa0 || (code >= 0x09 && code <= 0x0d);
}

/** Everything that is not ASCII counts as a letter. */
function isNoLetter(code: number): boolean {
  const isLetter = code >= 0x80 || (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39);
  return !isLetter || code === 0xa0;
}
