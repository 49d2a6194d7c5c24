/** `sort`: the fields to order by. `id` always comes last, so the order is total and pages never overlap. */

import { findField } from '../catalog/catalog.ts';
import { id, type Resource } from '../catalog/resource.ts';
import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import { unknownField } from './fields.ts';
import type { OrderKey, Search, Selection } from './plan.ts';

/** The order of a list that asks for none. */
export const BY_ID: OrderKey = { kind: 'field', field: id, descending: false };

export function planSort(resource: Resource, text: string, search: Search | undefined): readonly OrderKey[] | Problem {
  const order: OrderKey[] = [];
  const words = text.split(',').map((word) => word.trim());
  if (words.some((word) => RELEVANCE.test(word))) return planRelevance(words, search);
  for (const word of words) {
    const descending = word.startsWith('-');
    const name = descending ? word.slice(1) : word;
    const field = findField(resource, name);
    const [, named, direction] = /^(\w+)[ :]+(asc|desc)(?:ending)?$/i.exec(name) ?? [];
    if (named !== undefined) return directionInWords(words, word, /^d/i.test(direction ?? '') ? `-${named}` : named);
    if (field === undefined) {
      return unknownField(resource, 'sort', name, (meant) =>
        words.with(words.indexOf(word), descending ? `-${meant}` : meant).join(','),
      );
    }
    if (order.some((key) => key.kind === 'field' && key.field === field)) {
      return new Problem('invalid_sort', `sort names ${name} twice.`, {
        parameter: 'sort',
        suggestion: 'Name each field once.',
      });
    }
    order.push({ kind: 'field', field, descending });
  }
  return order.some((key) => key.kind === 'field' && key.field === id) ? order : [...order, BY_ID];
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

function directionInWords(words: readonly string[], word: string, meant: string): Problem {
  return new Problem('invalid_sort', `${quoted(word)} is not a field name; the direction is given by a sign.`, {
    parameter: 'sort',
    suggestion: `Write ${meant}: - before the name for descending order, nothing for ascending.`,
    fixed: { sort: words.with(words.indexOf(word), meant).join(',') },
  });
}
