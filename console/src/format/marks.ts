/**
 * Where texts have the words that are searched for, by the same rules: in any case, and in codes without what separates their parts.
 *
 *     oak, Oak Chair            [Oak] Chair
 *     chr12, CHR-12             [CHR-12]
 */

import { compact, fold } from '../../../src/catalog/fold.ts';
import type { Resource } from '../../../src/catalog/resource.ts';
import type { Predicate } from '../../../src/plan/plan.ts';
import { planSearch } from '../../../src/plan/search.ts';
import { Problem } from '../../../src/problem/problem.ts';

type Sought = Pick<Predicate & { readonly kind: 'text' }, 'form' | 'text'>;

/** What is sought in each field, by its name. */
export type Marks = ReadonlyMap<string, readonly Sought[]>;

export interface MarkedPart {
  /** An offset into the whole text, in UTF-16 code units. */
  readonly at: number;
  readonly text: string;
  readonly isMarked: boolean;
}

export const NO_MARKS: Marks = new Map();

export function marksOf(resource: Resource, q: string): Marks {
  const search = planSearch(resource, q);
  if (search === undefined || search instanceof Problem) return NO_MARKS;
  return Map.groupBy(
    search.words.flatMap(({ where }) => textTests(where)),
    ({ field }) => field.name,
  );
}

function textTests(predicate: Predicate): readonly (Predicate & { readonly kind: 'text' })[] {
  if (predicate.kind === 'text') return [predicate];
  return 'operands' in predicate ? predicate.operands.flatMap(textTests) : [];
}

/** A letter with its accents. */
const LETTERS = /\P{M}\p{M}*|\p{M}+/gu;

/** More than a cell shows, in characters. */
const MAX_LENGTH = 2_000;

/** The text in pieces, in order. */
export function markedParts(text: string, sought: readonly Sought[]): readonly MarkedPart[] {
  const letters = text.slice(0, MAX_LENGTH).match(LETTERS) ?? [];
  const isMarked = new Array<boolean>(letters.length).fill(false);
  for (const { form, text: word } of sought)
    for (const [from, to] of placesOf(letters, form, word)) isMarked.fill(true, from, to);
  const parts: MarkedPart[] = [];
  let at = 0;
  for (const [index, letter] of letters.entries()) {
    const last = parts.at(-1);
    const marked = isMarked[index] ?? false;
    if (last?.isMarked === marked) parts[parts.length - 1] = { ...last, text: last.text + letter };
    else parts.push({ at, text: letter, isMarked: marked });
    at += letter.length;
  }
  return at < text.length ? [...parts, { at, text: text.slice(at), isMarked: false }] : parts;
}

/** From one letter to before another. A letter may have several characters when it is folded, or none. */
function placesOf(
  letters: readonly string[],
  form: Sought['form'],
  word: string,
): readonly (readonly [number, number])[] {
  if (word === '') return [];
  const folded = letters.map((letter) => (form === 'compact' ? compact(fold(letter)) : fold(letter)));
  const letterAt = folded.flatMap((characters, index) => Array.from({ length: characters.length }, () => index));
  const whole = folded.join('');
  const places: [number, number][] = [];
  for (let at = whole.indexOf(word); at !== -1; at = whole.indexOf(word, at + word.length)) {
    const [first, last] = [letterAt[at], letterAt[at + word.length - 1]];
    if (first !== undefined && last !== undefined) places.push([first, last + 1]);
  }
  return places;
}
