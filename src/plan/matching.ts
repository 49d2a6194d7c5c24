/** `q` and `filter`: which records. Both have to match. */

import type { Resource } from '../catalog/resource.ts';
import { Problem } from '../problem/problem.ts';
import type { Query } from '../request/parameters.ts';
import { planFilter } from './filter.ts';
import type { Predicate, Selection } from './plan.ts';
import { planSearch } from './search.ts';

export type Matching = Pick<Selection, 'where' | 'filter' | 'search'>;

export function planMatching(resource: Resource, { values, continuations }: Query): Matching | Problem {
  const search = planSearch(resource, values.q);
  if (search instanceof Problem) return search;
  const filtered = planFilter(resource, values.filter, continuations);
  if (filtered instanceof Problem || search === undefined) return filtered;
  const { filter, where } = filtered;
  const words = search.words.map((word) => word.where);
  const operands: readonly Predicate[] =
    where?.kind === 'and' ? [...where.operands, ...words] : where ? [where, ...words] : words;
  const [only] = operands;
  return { filter, search, where: operands.length === 1 ? only : { kind: 'and', operands } };
}
