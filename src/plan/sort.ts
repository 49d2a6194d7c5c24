/** `sort`: the fields to order by. `id` always comes last, so that no two records are equal and pages never overlap. */

import { findField } from '../catalog/catalog.ts';
import { id, type Resource } from '../catalog/resource.ts';
import { mention } from '../problem/mention.ts';
import { Problem } from '../problem/problem.ts';
import { unknownField } from './fields.ts';
import type { OrderKey } from './plan.ts';

export function planSort(resource: Resource, text: string): readonly OrderKey[] | Problem {
  const order: OrderKey[] = [];
  const words = text.split(',').map((word) => word.trim());
  for (const word of words) {
    const descending = word.startsWith('-');
    const name = descending ? word.slice(1) : word;
    const field = findField(resource, name);
    const [, worded, direction] = /^(\w+)[ :]+(asc|desc)(?:ending)?$/i.exec(name) ?? [];
    if (worded !== undefined) return directionInWords(words, word, /^d/i.test(direction ?? '') ? `-${worded}` : worded);
    if (field === undefined) {
      return unknownField(resource, 'sort', name, (meant) =>
        words.with(words.indexOf(word), descending ? `-${meant}` : meant).join(','),
      );
    }
    if (order.some((key) => key.field === field)) {
      return new Problem('invalid_sort', `${name} is named twice in sort.`, {
        parameter: 'sort',
        suggestion: 'Name each field once.',
      });
    }
    order.push({ field, descending });
  }
  return order.some((key) => key.field === id) ? order : [...order, { field: id, descending: false }];
}

function directionInWords(words: readonly string[], word: string, meant: string): Problem {
  return new Problem('invalid_sort', `${mention(word)} is not a field name; the direction is written with a sign.`, {
    parameter: 'sort',
    suggestion: `Write ${meant}: a - before the name for descending order, nothing for ascending.`,
    repaired: { sort: words.with(words.indexOf(word), meant).join(',') },
  });
}
