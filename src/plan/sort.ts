/** `sort`: the fields to order by. `id` always comes last, so the order is total and pages never overlap. */

import { findField } from '../catalog/catalog.ts';
import { id, type Resource } from '../catalog/resource.ts';
import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import { unknownField } from './fields.ts';
import type { OrderKey } from './plan.ts';

export function planSort(resource: Resource, text: string): readonly OrderKey[] | Problem {
  const order: OrderKey[] = [];
  const words = text.split(',').map((word) => word.trim());
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
    if (order.some((key) => key.field === field)) {
      return new Problem('invalid_sort', `sort names ${name} twice.`, {
        parameter: 'sort',
        suggestion: 'Name each field once.',
      });
    }
    order.push({ field, descending });
  }
  return order.some((key) => key.field === id) ? order : [...order, { field: id, descending: false }];
}

function directionInWords(words: readonly string[], word: string, meant: string): Problem {
  return new Problem('invalid_sort', `${quoted(word)} is not a field name; the direction is given by a sign.`, {
    parameter: 'sort',
    suggestion: `Write ${meant}: - before the name for descending order, nothing for ascending.`,
    fixed: { sort: words.with(words.indexOf(word), meant).join(',') },
  });
}
