/**
 * Finds sections of documents, and errors, that contain all words of a query. What contains them in its heading comes
 * first, then guides and errors before decisions.
 */

import { nearest } from '../problem/nearest.ts';

export interface Entry {
  readonly path: string;
  /** The document that contains it. */
  readonly document: string;
  readonly heading: string;
  readonly text: string;
  /** Lowercase. */
  readonly searched: { readonly document: string; readonly heading: string; readonly text: string };
  /** Added to the score. */
  readonly bonus: number;
}

export interface SearchIndex {
  readonly entries: readonly Entry[];
  /** All words, for "did you mean". */
  readonly words: readonly string[];
}

export interface Found {
  readonly entries: readonly Entry[];
  /** How many there are, shown or not. */
  readonly total: number;
  /** Set if nothing was found and a similar query finds something. */
  readonly suggestion?: string;
}

/** The longest query, in characters and words: a search takes time in proportion to its words. */
export const MAX_QUERY = 100;
export const MAX_WORDS = 8;

/** The most results that are shown. */
const MAX_RESULTS = 30;

/** The words of a query, in lowercase, each once. */
export function queryWords(query: string): readonly string[] {
  return [...new Set(query.toLowerCase().split(' '))].filter((word) => word !== '');
}

export function search(index: SearchIndex, query: string): Found {
  const words = queryWords(query);
  const found = words.length === 0 ? [] : matching(index, words);
  const suggestion = found.length === 0 && words.length > 0 ? corrected(index, words) : undefined;
  return { entries: found.slice(0, MAX_RESULTS), total: found.length, ...(suggestion !== undefined && { suggestion }) };
}

function matching({ entries }: SearchIndex, words: readonly string[]): readonly Entry[] {
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}

/** 0 unless every word occurs. */
function scoreOf({ searched: { document, heading, text }, bonus }: Entry, words: readonly string[]): number {
  let score = bonus;
  for (const word of words) {
    if (heading.includes(word)) score += heading.startsWith(word) ? 10 : 8;
    else if (document.includes(word)) score += 3;
    else if (text.includes(word)) score += 1;
    else return 0;
  }
  return score;
}

/** The query with words that exist, if that finds something. A word without a similar one is left out. */
function corrected(index: SearchIndex, words: readonly string[]): string | undefined {
  const existing: string[] = [];
  let unknown = 0;
  for (const word of words) {
    const isKnown = matching(index, [word]).length > 0;
    if (!isKnown) unknown += 1;
    if (unknown > MAX_CORRECTED) return undefined;
    const meant = isKnown ? word : similarWord(index, word);
    if (meant !== undefined) existing.push(meant);
  }
  return existing.length > 0 && matching(index, existing).length > 0 ? existing.join(' ') : undefined;
}

/** A query with more misspelled words gets no suggestion. */
const MAX_CORRECTED = 3;

/** Comparing with all words would take milliseconds, and anybody can search. */
function similarWord({ words }: SearchIndex, word: string): string | undefined {
  const isSimilar = (known: string) => known[0] === word[0] && Math.abs(known.length - word.length) <= 2;
  return nearest(word, words.filter(isSimilar));
}

/** The part of a text around the first of the words, in pieces: every second one is one of the words. */
export function excerpt(text: string, words: readonly string[]): readonly string[] {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const first = Math.max(0, Math.min(...places, text.length) - EXCERPT_BEFORE);
  const from = places.length === 0 || first === 0 ? 0 : text.indexOf(' ', first) + 1;
  const end = text.length <= from + EXCERPT_LENGTH ? text.length : text.lastIndexOf(' ', from + EXCERPT_LENGTH);
  const part = `${from > 0 ? '… ' : ''}${text.slice(from, Math.max(end, from))}${end < text.length ? ' …' : ''}`;
  return part.split(new RegExp(`(${words.map(literal).join('|')})`, 'i'));
}

/** In characters. */
const [EXCERPT_BEFORE, EXCERPT_LENGTH] = [60, 240];

/** The word in a regular expression. */
function literal(word: string): string {
  return word.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
