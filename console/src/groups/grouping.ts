/** By what records can be grouped, and what the API is asked for their groups. */

import type { Field, Resource } from '../../../src/catalog/resource.ts';
import { storageOf } from '../../../src/catalog/value-types.ts';
import { planFacet } from '../../../src/plan/aggregate.ts';
import type { Facet } from '../../../src/plan/plan.ts';
import { Problem } from '../../../src/problem/problem.ts';
import { timeZone } from '../format/local-time.ts';
import type { View } from '../view/view.ts';
import { type GroupOrder, type Measure, measuresOf } from './group-measures.ts';

/** How the values of a field are grouped. */
export interface Way {
  /** As the API has it, without a time zone. */
  readonly facet: string;
  readonly title: string;
}

/** Names, codes and identifiers are different for almost every record, unless they are those of categories. */
export function groupableFields({ fields }: Resource): readonly Field[] {
  return fields.filter(({ category, searched, indexed, type }) => {
    const storage = storageOf({ type });
    return category || (storage === 'text' ? !searched && !indexed : storage !== 'integer');
  });
}

const PERIODS = ['day', 'week', 'month', 'year'] as const;
const RANGES = [10, 5, 20, 50] as const;

/** The usual one first. */
export function waysOf(field: Field): readonly Way[] {
  const each = { facet: field.name, title: 'Each value' };
  if (storageOf(field) === 'timestamp')
    return [...PERIODS]
      .sort((a, b) => Number(b === 'month') - Number(a === 'month'))
      .map((period) => ({ facet: `${field.name}:${period}`, title: `By ${period}` }));
  if (storageOf(field) !== 'real') return [each];
  // Few records have the same price.
  return [...RANGES.map((count) => ({ facet: `${field.name}:${count}`, title: `About ${count} ranges` })), each];
}

export function facetOf(resource: Resource, text: string): Facet | undefined {
  const facet = planFacet(resource, text, (meant) => meant);
  return facet instanceof Problem ? undefined : facet;
}

/** Months are read in their order, categories by their size. */
export function groupOrderOf({ groupOrder }: View, { by }: Facet): GroupOrder {
  return groupOrder ?? (by.kind === 'value' ? 'count' : 'value');
}

/** How many groups are listed at first. */
export const FEW_GROUPS = 100;

export interface GroupsQuery {
  readonly q: string | undefined;
  readonly filter: string | undefined;
  readonly measures: readonly Measure[];
  readonly facets: readonly [string];
  readonly sort: GroupOrder;
  readonly limit: number;
}

/** What the API is asked for the groups of a view. */
export function groupsQuery(view: View, facet: Facet, limit: number = FEW_GROUPS): GroupsQuery {
  const { resource, q, filter, group = '' } = view;
  return {
    q: q === '' ? undefined : q,
    filter: filter.trim() === '' ? undefined : filter,
    measures: ['count', ...measuresOf(resource).map(({ measure }) => measure)],
    facets: [requestedFacet(group, facet)],
    sort: groupOrderOf(view, facet),
    limit,
  };
}

/** A day begins when it begins for the reader, unless a link says otherwise. */
function requestedFacet(text: string, { by }: Facet): string {
  const isLocal = by.kind === 'period' && by.zone === undefined && timeZone() !== 'UTC';
  return isLocal ? `${text}@${timeZone()}` : text;
}
