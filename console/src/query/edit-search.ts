/** Replaces words of a search, and removes them. A word is as the service has it: folded. */

import { fold } from '../../../src/catalog/fold.ts';

export function withoutWord(q: string, word: string): string {
  return wordsIn(q)
    .filter((typed) => fold(typed) !== word)
    .join(' ');
}

export function replaceWord(q: string, word: string, by: string): string {
  return wordsIn(q)
    .map((typed) => (fold(typed) === word ? by : typed))
    .join(' ');
}

function wordsIn(q: string): readonly string[] {
  return q.trim().split(/\s+/u);
}
