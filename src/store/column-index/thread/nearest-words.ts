/**
 * The words in many texts that are most like those that were searched for in vain. A word of letters is compared with every run of letters and
 * digits, a word with a digit with everything between two spaces, as codes are.
 */

import { distance } from 'fastest-levenshtein';
import { compact } from '../../../catalog/fold.ts';

/** How many are named for each word. */
const MAX_NEAREST = 3;

/** How many are remembered for each word. There may be more of them if there are many similar codes. */
const MAX_CANDIDATES = 1_000;

/** How many words are remembered that are not similar, so that they are not compared again. */
const MAX_DISSIMILAR = 50_000;

interface Candidate {
  readonly word: string;
  readonly distance: number;
  count: number;
}

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
  readonly #maxDistance: number;
  readonly #candidates = new Map<string, Candidate>();
  readonly #dissimilar = new Set<string>();

  constructor(word: string) {
    this.#isCode = DIGIT.test(word);
    this.#text = this.#isCode ? compact(word) : word;
    this.#maxDistance = allowedDistance(this.#text);
  }

  compareWith(text: string): void {
    const isSeparator = this.#isCode ? isSpace : isNoLetter;
    for (let start = 0, end = 0; end <= text.length; end += 1) {
      if (end < text.length && !isSeparator(text.charCodeAt(end))) continue;
      if (end > start) this.#compare(text.slice(start, end));
      start = end + 1;
    }
  }

  #compare(word: string): void {
    const known = this.#candidates.get(word);
    if (known !== undefined) {
      known.count += 1;
      return;
    }
    const text = this.#isCode ? compact(word) : word;
    if (Math.abs(text.length - this.#text.length) > this.#maxDistance || this.#dissimilar.has(word)) return;
    const letters = isSwapped(this.#text, text) ? 1 : distance(this.#text, text);
    if (letters > this.#maxDistance || (this.#isCode && !DIGIT.test(word))) {
      if (this.#dissimilar.size < MAX_DISSIMILAR) this.#dissimilar.add(word);
    } else if (this.#candidates.size < MAX_CANDIDATES) {
      this.#candidates.set(word, { word, distance: letters, count: 1 });
    }
  }

  get nearest(): readonly string[] {
    const candidates = [...this.#candidates.values()];
    const least = candidates.reduce((smallest, { distance: letters }) => Math.min(smallest, letters), Infinity);
    return candidates
      .filter((candidate) => candidate.distance === least)
      .toSorted((a, b) => b.count - a.count || (a.word < b.word ? -1 : 1))
      .slice(0, MAX_NEAREST)
      .map(({ word }) => word);
  }
}

/** Whether two texts differ only in the order of two adjacent letters. */
function isSwapped(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
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
