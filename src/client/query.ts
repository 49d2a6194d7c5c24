/** The parameters of requests, and how they are written into a URL. */

import type { AnyRecord, FieldOf, TypesOf } from './fields.ts';
import type { Filter } from './filter.ts';
import { type NamesOf, REQUEST_OPTIONS, type RequestOptions } from './options.ts';

/** What selects records, and which of their fields. */
export interface Selection<R, T extends TypesOf<R>, F extends FieldOf<R>> extends RequestOptions {
  /** Default: all fields. */
  readonly fields?: readonly F[] | undefined;
  /** Words to search for; every one has to be in one of the searched fields. */
  readonly q?: string | undefined;
  /** As text, or from `where`. Default: all records. */
  readonly filter?: string | Filter<R, T> | undefined;
}

type AnyTypes = TypesOf<AnyRecord>;

export const SELECTION_OPTIONS: NamesOf<Selection<AnyRecord, AnyTypes, 'id'>> = {
  fields: 1,
  q: 1,
  filter: 1,
  ...REQUEST_OPTIONS,
};

/** A field, or a field with `-` in front for descending order. */
export type SortKey<R> = FieldOf<R> | `-${FieldOf<R>}`;

export interface SortedSelection<R, T extends TypesOf<R>, F extends FieldOf<R>> extends Selection<R, T, F> {
  /** By fields, or, with `q`, the best matches first. Default: by `id`. */
  readonly sort?: readonly SortKey<R>[] | 'relevance' | undefined;
}

export const SORTED_OPTIONS: NamesOf<SortedSelection<AnyRecord, AnyTypes, 'id'>> = { sort: 1, ...SELECTION_OPTIONS };

export interface ListQuery<R, T extends TypesOf<R>, F extends FieldOf<R>> extends SortedSelection<R, T, F> {
  /** Starts at 1, which is the default. */
  readonly page?: number | undefined;
  /** Records per page, up to 1,000. Default: 10. */
  readonly limit?: number | undefined;
  /** Whether `meta.conditions` is to say how many records each condition of the filter, and each word of `q`, matches. */
  readonly explain?: boolean | undefined;
}

/** A list that is only of interest if it has changed. */
export interface ConditionalQuery {
  /** The `etag` of the page that the caller has; undefined if it has none. */
  readonly ifNoneMatch: string | undefined;
  /** How long to wait for a change, in seconds, up to 60. Default: 0. */
  readonly wait?: number | undefined;
}

export const LIST_OPTIONS: NamesOf<ListQuery<AnyRecord, AnyTypes, 'id'> & ConditionalQuery> = {
  page: 1,
  limit: 1,
  explain: 1,
  ifNoneMatch: 1,
  wait: 1,
  ...SORTED_OPTIONS,
};

/** Undefined parameters are left out. Throws if a list is empty: the service would take that as none, which is everything. */
export function searchParams(parameters: Readonly<Record<string, unknown>>): URLSearchParams {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (Array.isArray(value) && value.length === 0) throw new TypeError(`${name} is empty.`);
    if (value !== undefined) search.set(name, String(value));
  }
  return search;
}
