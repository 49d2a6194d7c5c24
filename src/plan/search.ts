/**
 * `q`: words, each of which has to be in one of the fields that are searched.
 *
 *     oak chr00012     (name*oak | default_code*oak) & (name*chr00012 | default_code contains it, regardless of separators)
 *
 * A search has no form in the filter language: which fields it looks at may change.
 */

import { compact, fold } from '../catalog/fold.ts';
import type { Field, Resource } from '../catalog/resource.ts';
import { Problem } from '../problem/problem.ts';
import type { OrderKey, Predicate, Search, TextTest } from './plan.ts';

/** The maximum number of words: each is looked for in several fields. */
const MAX_WORDS = 16;

/** The maximum number of characters of all words together. */
const MAX_LENGTH = 500;

/** Undefined if there is nothing to search for. */
export function planSearch(resource: Resource, text: string | undefined): Search | Problem | undefined {
  const words = wordsOf(text ?? '');
  if (words.length === 0) return undefined;
  const [length, count] = [[...words.join(' ')].length, words.length];
  if (count > MAX_WORDS) return tooLong(`has ${count} different words`, `at most ${MAX_WORDS} are`);
  if (length > MAX_LENGTH) return tooLong(`has ${length} characters`, `at most ${MAX_LENGTH} are`);
  const fields = resource.fields.filter(({ searched }) => searched);
  return {
    words: words.map((word) => ({ kind: 'word', text: word, where: containsWord(fields, word) })),
    relevance: relevanceOf(fields, words),
  };
}

/** Folded. */
function wordsOf(text: string): readonly string[] {
  return [...new Set(fold(text).split(/\s/u))].filter((word) => word !== '');
}

function containsWord(fields: readonly Field[], word: string): Predicate {
  return anyOf(fields.map((field) => contains(field, word)));
}

const DIGIT = /\p{N}/u;

/** If a code contains a word, it also does without separators in either of them. */
function contains(field: Field, word: string): Predicate {
  return field.code && DIGIT.test(word) ? compactText(field, '*', word) : foldedText(field, '*', word);
}

/** A code that is, or begins with, what was searched for; a name that begins with it; a name with all of the words; anything else. */
function relevanceOf(fields: readonly Field[], words: readonly string[]): OrderKey {
  const whole = words.join(' ');
  const codes = compact(whole) === '' ? [] : fields.filter(({ code }) => code);
  const names = fields.filter(({ code }) => !code).slice(0, 1);
  const conditions = [
    codes.map((field) => compactText(field, 'equals', whole)),
    codes.map((field) => compactText(field, 'begins', whole)),
    names.map((field) => foldedText(field, 'begins', whole)),
    names.map((field) => allOf(words.map((word) => foldedText(field, '*', word)))),
  ];
  return { kind: 'conditions', conditions: conditions.filter((each) => each.length > 0).map(anyOf) };
}

function foldedText(field: Field, test: TextTest, text: string): Predicate {
  return { kind: 'text', field, test, form: 'folded', text, negated: false };
}

function compactText(field: Field, test: TextTest, text: string): Predicate {
  return { kind: 'text', field, test, form: 'compact', text: compact(text), negated: false };
}

function anyOf(operands: readonly Predicate[]): Predicate {
  const [only] = operands;
  return operands.length === 1 && only !== undefined ? only : { kind: 'or', operands };
}

function allOf(operands: readonly Predicate[]): Predicate {
  const [only] = operands;
  return operands.length === 1 && only !== undefined ? only : { kind: 'and', operands };
}

function tooLong(is: string, limit: string): Problem {
  return new Problem('invalid_search', `q ${is}, and ${limit} searched for.`, {
    parameter: 'q',
    suggestion: 'Search for fewer words.',
  });
}
