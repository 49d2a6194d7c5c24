/** The groups of a field's values, as the service counts them. */

import type { Resource } from '../../../src/catalog/resource.ts';
import { MAX_FACETS } from '../../../src/plan/aggregate.ts';
import type { Value } from '../data/records.ts';

export interface Facet {
  readonly values: readonly ValueGroup[];
  readonly ranges: readonly RangeGroup[];
  /** Groups that are not listed, and how many records they have. */
  readonly other: { readonly groups: number; readonly count: number };
}

export interface ValueGroup {
  readonly value: Value;
  readonly count: number;
}

/** From one value up to, but not including, another. Null if the range is open on that side. */
export interface RangeGroup {
  readonly from: Value;
  readonly to: Value;
  readonly count: number;
}

/** The maximum number of groups that are listed: histograms have fewer, and nobody reads more bars. */
export const MAX_GROUPS = 100;

interface ReceivedFacet {
  readonly groups: readonly (object & { readonly measures: { readonly count: number } })[];
  readonly other: { readonly values: number; readonly measures: { readonly count: number } };
}

export function readFacet({ groups, other }: ReceivedFacet): Facet {
  const read = groups.map((group) => ({ ...keyOf(group), count: group.measures.count }));
  return {
    values: read.flatMap((group) => ('value' in group ? [group] : [])),
    ranges: read.flatMap((group) => ('from' in group ? [group] : [])),
    other: { groups: other.values, count: other.measures.count },
  };
}

/** What the records of a group have in common. A range is open on the side on which it is null. */
export type GroupKey = { readonly value: Value } | { readonly from: Value; readonly to: Value };

export function keyOf(group: object): GroupKey {
  if ('from' in group && 'to' in group) return { from: asValue(group.from), to: asValue(group.to) };
  return { value: 'value' in group ? asValue(group.value) : null };
}

function asValue(value: unknown): Value {
  const isValue = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isValue ? value : null;
}

/** What is needed to count the groups of one field. */
export interface FacetRequest {
  readonly resource: Resource;
  readonly q: string;
  readonly filter: string;
  /** As the API has it: `list_price:24`. */
  readonly facet: string;
}

/** As many as one request may ask for. */
export function inRequests(facets: readonly string[]): readonly (readonly string[])[] {
  const [first, rest] = [facets.slice(0, MAX_FACETS), facets.slice(MAX_FACETS)];
  return rest.length === 0 ? [first] : [first, ...inRequests(rest)];
}
