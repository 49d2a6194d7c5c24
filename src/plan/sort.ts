/** `sort`: the fields to order by. `id` always comes last, so that no two records are equal and pages never overlap. */

import { findField } from '../catalog/catalog.ts';
import { id, type Resource } from '../catalog/resource.ts';
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
