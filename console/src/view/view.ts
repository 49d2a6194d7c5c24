/**
 * What the console shows: everything that a shared link or the back button brings back. It is written into the URL, with the
 * names that the API has for the same:
 *
 *     /products?filter=list_price>100&sort=-list_price&page=3    { resource: product, filter: 'list_price>100', … }
 */

import { fieldNames, type Resource } from '../../../src/catalog/resource.ts';
import type { PANELS } from '../../../src/plan/view-query.ts';
import type { GroupOrder } from '../groups/group-measures.ts';
import { defaultFields } from './default-fields.ts';
import { readableQuery } from './readable-query.ts';

export type Panel = (typeof PANELS)[number];

/** Those that are offered; a link may have any other that the API accepts. */
export const PAGE_SIZES = [25, 50, 100, 250, 500, 1_000] as const;
const DEFAULT_LIMIT = 100;

export interface SortKey {
  readonly field: string;
  readonly isDescending: boolean;
}

export interface View {
  readonly resource: Resource;
  /** The words that are searched for; empty if there are none. */
  readonly q: string;
  /** As text; empty if there is none. It may be invalid. */
  readonly filter: string;
  /** The columns, from left to right; at least one. */
  readonly fields: readonly string[];
  /** Widths of columns that were resized, in pixels. */
  readonly widths: ReadonlyMap<string, number>;
  /** Empty for the order of ids or, while words are searched for, that of relevance. */
  readonly sort: readonly SortKey[];
  /** Starts at 1. */
  readonly page: number;
  readonly limit: number;
  /** By what records are grouped, as a facet of the API, such as `create_date:month`. Undefined if they are shown one by one. */
  readonly group: string | undefined;
  /** How groups are sorted, if it is not as usual. */
  readonly groupOrder: GroupOrder | undefined;
  /** The record whose details are shown. */
  readonly record: number | undefined;
  /** Undefined if the table has all the room. */
  readonly panel: Panel | undefined;
  /** Whether the view follows changes. */
  readonly isLive: boolean;
  /** The id of the saved view that was opened, and may have been changed since. */
  readonly saved: string | undefined;
}

export function newView(resource: Resource): View {
  return {
    resource,
    q: '',
    filter: '',
    fields: defaultFields(resource),
    widths: new Map(),
    sort: [],
    page: 1,
    limit: DEFAULT_LIMIT,
    group: undefined,
    groupOrder: undefined,
    record: undefined,
    panel: 'summary',
    isLive: false,
    saved: undefined,
  };
}

/** The path and search of a view. What is as in a new view is left out. */
export function hrefOf(view: View): string {
  const { resource, q, filter, fields, widths, sort, page, limit, group, groupOrder } = view;
  const { record, panel, isLive, saved } = view;
  const initial = newView(resource);
  const parameters = new URLSearchParams({
    ...(q !== '' && { q }),
    ...(filter !== '' && { filter }),
    ...(fields.join() !== initial.fields.join() && { fields: fields.join() }),
    ...(sort.length > 0 && { sort: printSort(sort).join() }),
    ...(page !== 1 && { page: String(page) }),
    ...(limit !== initial.limit && { limit: String(limit) }),
    ...(group !== undefined && { group }),
    ...(groupOrder !== undefined && { order: groupOrder }),
    ...(record !== undefined && { record: String(record) }),
    ...(panel !== initial.panel && { panel: panel ?? 'none' }),
    ...(isLive && { live: 'true' }),
    ...(widths.size > 0 && { widths: [...widths].map(([field, width]) => `${field}:${width}`).join() }),
    ...(saved !== undefined && { view: saved }),
  });
  return parameters.size === 0 ? `/${resource.plural}` : `/${resource.plural}?${readableQuery(String(parameters))}`;
}

/** As the API writes it: `-list_price`. */
export function printSort(sort: readonly SortKey[]): readonly string[] {
  return sort.map(({ field, isDescending }) => (isDescending ? `-${field}` : field));
}

/** The order as the API has it. Undefined for that of ids. */
export function orderOf({ q, sort }: View): readonly string[] | 'relevance' | undefined {
  if (sort.length > 0) return printSort(sort);
  return q === '' ? undefined : 'relevance';
}

/** Whether it has only some of the records. */
export function isNarrowed({ q, filter }: View): boolean {
  return q !== '' || filter !== '';
}

/** The fields of a resource that are not columns of the view, in the order of the catalog. */
export function hiddenFields({ resource, fields }: View): readonly string[] {
  return fieldNames(resource).filter((name) => !fields.includes(name));
}
