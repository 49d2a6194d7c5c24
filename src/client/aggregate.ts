/** Aggregates: what can be requested of the fields of a resource, and the types of what comes back. */

import type { AnyRecord, FieldOf, FieldOfType, TypesOf } from './fields.ts';
import type { Filter } from './filter.ts';
import type { ValueTypes } from './generated/records.ts';
import { type NamesOf, REQUEST_OPTIONS, type RequestOptions } from './options.ts';

/** The value types for which a column of their row has one of these values. */
type TypesWith<Column extends keyof ValueTypes[keyof ValueTypes], Value> = {
  [Type in keyof ValueTypes]: ValueTypes[Type][Column] extends Value ? Type : never;
}[keyof ValueTypes];

type NumberField<T> = FieldOfType<T, TypesWith<'json', number>>;
type OrderedField<T> = FieldOfType<T, TypesWith<'operators', 'order'> | TypesWith<'json', boolean>>;

/** Of a field, or of the product of two: `sum(list_price*qty_available)`. */
export type Measure<T> =
  | 'count'
  | `${'sum' | 'avg'}(${NumberField<T>})`
  | `${'min' | 'max'}(${OrderedField<T>})`
  | `${'sum' | 'avg' | 'min' | 'max'}(${NumberField<T>}*${NumberField<T>})`;

/** Values of a field, ranges of a number, or periods of a timestamp: `month`, or in a time zone `month@Europe/Berlin`. */
export type Facet<T> =
  | (keyof T & string)
  | `${NumberField<T>}:${number}`
  | `${FieldOfType<T, 'timestamp'>}:${Period | `${Period}@${string}`}`;

type Period = 'day' | 'week' | 'month' | 'year';

export interface AggregateQuery<R, T extends TypesOf<R>, M, G> extends RequestOptions {
  readonly q?: string | undefined;
  readonly filter?: string | Filter<R, T> | undefined;
  /** Default: `count`. */
  readonly measures?: readonly M[] | undefined;
  readonly facets?: readonly G[] | undefined;
  /** Those first that have the largest measure, one of those above, or in the order of their values. Default: `count`. */
  readonly sort?: 'count' | 'value' | M | undefined;
  /** The maximum number of groups per facet, up to 1,000. Default: 10. */
  readonly limit?: number | undefined;
}

export const AGGREGATE_OPTIONS: NamesOf<AggregateQuery<AnyRecord, TypesOf<AnyRecord>, string, string>> = {
  q: 1,
  filter: 1,
  measures: 1,
  facets: 1,
  sort: 1,
  limit: 1,
  ...REQUEST_OPTIONS,
};

/** `min` and `max` have the type of their field, and are null if there are no values. */
type Measured<R, M> = M extends 'count'
  ? number
  : M extends `${'min' | 'max'}(${infer F extends FieldOf<R>})`
    ? R[F] | null
    : number | null;

export type Measures<R, M extends string> = { readonly [Name in M]: Measured<R, Name> };

/** The records with a value, or those from a value up to another; null if a range is open on that side. */
type GroupKey<R, G> =
  G extends FieldOf<R>
    ? { readonly value: R[G] }
    : G extends `${infer F extends FieldOf<R>}:${string}`
      ? { readonly from: R[F] | null; readonly to: R[F] | null } | { readonly value: null }
      : never;

export type Group<R, M extends string, G> = GroupKey<R, G> & {
  /** Selects the records of the group, among those that the filter of the request selects. */
  readonly filter: string;
  readonly measures: Measures<R, M>;
};

export interface FacetResult<R, M extends string, G> {
  /** The number of groups, whether or not they are listed. */
  readonly distinct: number;
  readonly groups: readonly Group<R, M, G>[];
  /** The groups that are not listed. */
  readonly other: { readonly values: number; readonly measures: Measures<R, M> };
}

export interface Aggregate<R, M extends string, G extends string> {
  /** The number of records that match. */
  readonly total: number;
  readonly measures: Measures<R, M>;
  readonly facets: { readonly [Name in G]: FacetResult<R, M, Name> };
}
