/** `sort`: the fields to order by. `id` always comes last, so the order is total and pages never overlap. */

import { findField } from '../catalog/catalog.ts';
import { type Field, id, type Resource } from '../catalog/resource.ts';
import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import { unknownField } from './fields.ts';
import type { OrderKey, Search, Selection } from './plan.ts';

/** The order of a list that asks for none. */
export const BY_ID: OrderKey = { kind: 'field', field: id, descending: false };

export function planSort(resource: Resource, text: string, search: Search | undefined): readonly OrderKey[] | Problem {
  const order: OrderKey[] = [];
  const named = new Set<Field>();
  const words = text.split(',').map((word) => word.trim());
  if (words.some((word) => RELEVANCE.test(word))) return planRelevance(words, search);
  const meant = meantWords(resource, words);
  if (meant !== undefined) return directionInWords(meant.word, meant.words);
  for (const word of words) {
    const descending = word.startsWith('-');
    const name = withoutSign(word);
    const field = findField(resource, name);
    if (field === undefined) {
      return unknownField(resource, 'sort', name, (meant) =>
        words.with(words.indexOf(word), descending ? `-${meant}` : meant).join(','),
      );
    }
    if (named.has(field)) {
      return new Problem('invalid_sort', `sort names ${name} twice.`, {
        parameter: 'sort',
        suggestion: 'Name each field once.',
        fixed: {
          sort: words
            .filter((each, at) => words.findIndex((one) => withoutSign(one) === withoutSign(each)) === at)
            .join(','),
        },
      });
    }
    named.add(field);
    order.push({ kind: 'field', field, descending });
  }
  return named.has(id) ? order : [...order, BY_ID];
}

function withoutSign(word: string): string {
  return word.replace(/^-/, '');
}

const RELEVANCE = /^-?relevance\b/;

/** It is an order of its own: what is as relevant is in the order of ids. */
function planRelevance(words: readonly string[], search: Search | undefined): readonly OrderKey[] | Problem {
  const invalid = (detail: string, suggestion: string) =>
    new Problem('invalid_sort', detail, { parameter: 'sort', suggestion });
  if (words.length > 1 || words[0] !== 'relevance')
    return invalid(
      'relevance cannot be combined with other fields, or reversed.',
      'Use sort=relevance, or name fields only.',
    );
  if (search === undefined)
    return invalid('Without q there is nothing to be relevant to.', 'Add q with words to search for, or remove sort.');
  return [search.relevance, BY_ID];
}

export function isOrderedById({ order: [first] }: Pick<Selection, 'order'>): boolean {
  return first?.kind === 'field' && first.field.name === id.name;
}

/** Whether the ids of a list, which is in their order, descend. */
export function hasDescendingIds({ order: [first] }: Pick<Selection, 'order'>): boolean {
  return first?.kind === 'field' && first.descending;
}

interface Meant {
  /** The first that has to change. */
  readonly word: string;
  readonly words: readonly string[];
}

/** Directions as other languages write them: `name desc`, `name.desc`, `name,desc`, `desc(name)`, `+name`. */
function meantWords(resource: Resource, words: readonly string[]): Meant | undefined {
  const result: string[] = [];
  let first: string | undefined;
  for (const word of words) {
    const [, before, direction] = /[-+]?(.+?)[ :.+]+(asc|desc)(?:ending)?$/i.exec(word) ?? [];
    const [, function_, inside] = /^(asc|desc)\((.*)\)$/i.exec(word) ?? [];
    const previous = result.at(-1);
    if (findField(resource, withoutSign(word)) !== undefined) result.push(word);
    else if (before !== undefined) result.push(directed(before.trim(), direction));
    else if (inside !== undefined) result.push(directed(inside.trim(), function_));
    else if (/^(asc|desc)(ending)?$/i.test(word) && previous !== undefined)
      result.splice(-1, 1, directed(withoutSign(previous), word));
    else if (word.startsWith('+') && word.length > 1) result.push(word.slice(1));
    else {
      result.push(word);
      continue;
    }
    if (result.at(-1) !== word) first ??= word;
  }
  return first === undefined ? undefined : { word: first, words: result };
}

function directed(name: string, direction: string | undefined): string {
  return direction?.toLowerCase().startsWith('d') ? `-${name}` : name;
}

function directionInWords(word: string, words: readonly string[]): Problem {
  const sort = words.join(',');
  return new Problem('invalid_sort', `${quoted(word)} is not a field name; the direction is given by a sign.`, {
    parameter: 'sort',
    suggestion: `Write ${sort}: - before the name for descending order, nothing for ascending.`,
    fixed: { sort },
  });
}
