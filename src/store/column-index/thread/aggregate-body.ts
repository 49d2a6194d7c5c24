/** Measures and facets as the body of a response. */

import type { Value } from '../../../catalog/value.ts';
import type { Comparison, Filter } from '../../../filter/ast.ts';
import { printFilter } from '../../../filter/print.ts';
import { facetName, measureName } from '../../../plan/aggregate.ts';
import { comparison, groupFilter } from '../../../plan/group-filter.ts';
import type { Facet } from '../../../plan/plan.ts';
import type { AggregateParts, AggregateResult, FacetResult, Measured } from './aggregate.ts';
import type { GroupKey } from './grouping.ts';

/** The longest body, in characters. */
const MAX_BODY = 16 * 1024 * 1024;

/** The size of a piece of the body in bytes. */
const PIECE_BYTES = 128 * 1024;

/** In UTF-8, or why there is none. */
export type AggregateBody = readonly Uint8Array<ArrayBuffer>[] | 'too many groups' | 'too large';

export interface PrintedAggregate extends AggregateParts {
  /** The filter of the request. */
  readonly filter: Filter | undefined;
}

/** `total` is the number of records that match the filter. */
export function aggregateBody(printed: PrintedAggregate, total: number, result: AggregateResult): AggregateBody {
  const body = print(printed, total, result);
  return body === undefined ? 'too large' : piecesOf(body);
}

/** Undefined if it is too large. */
function print(printed: PrintedAggregate, total: number, result: AggregateResult): string | undefined {
  const { measures, facets, filter } = printed;
  const named = (values: readonly Measured[]) =>
    JSON.stringify(Object.fromEntries(measures.map((measure, index) => [measureName(measure), values[index] ?? null])));
  let left = MAX_BODY;
  const facetJson = (facet: Facet, { distinct, groups, other }: FacetResult): string => {
    const items: string[] = [];
    for (const group of groups) {
      if (left < 0) break;
      const own = printFilter(groupFilter(filter, conditions(facet, group.key)));
      const item = `{${keyJson(group.key)},"filter":${JSON.stringify(own)},"measures":${named(group.measures)}}`;
      left -= item.length;
      items.push(item);
    }
    const rest = `{"values":${other.values},"measures":${named(other.measures)}}`;
    return `${JSON.stringify(facetName(facet))}:{"distinct":${distinct},"groups":[${items.join(',')}],"other":${rest}}`;
  };
  const parts = facets.flatMap((facet, index) => {
    const found = result.facets[index];
    return found === undefined ? [] : [facetJson(facet, found)];
  });
  if (left < 0) return undefined;
  return `{"data":{"measures":${named(result.measures)},"facets":{${parts.join(',')}}},"meta":{"total":${total}}}`;
}

function piecesOf(body: string): readonly Uint8Array<ArrayBuffer>[] {
  const bytes = new TextEncoder().encode(body);
  const count = Math.max(1, Math.ceil(bytes.length / PIECE_BYTES));
  return Array.from({ length: count }, (_, n) => bytes.slice(n * PIECE_BYTES, (n + 1) * PIECE_BYTES));
}

/** A range has two edges instead of a value; null where it is open. */
function keyJson(key: GroupKey): string {
  if (key.kind === 'value') return `"value":${JSON.stringify(key.value)}`;
  return `"from":${JSON.stringify(key.from ?? null)},"to":${JSON.stringify(key.to ?? null)}`;
}

/** What the records of a group have in common. */
function conditions({ field }: Facet, key: GroupKey): readonly Comparison[] {
  const compare = (operator: Comparison['operator'], value: Value | null) =>
    comparison(field.name, operator, value === null ? null : String(value));
  if (key.kind === 'value') return [compare('=', key.value)];
  return [
    ...(key.from === undefined ? [] : [compare('>=', key.from)]),
    ...(key.to === undefined ? [] : [compare('<', key.to)]),
  ];
}
