/** What a request asks for, with every name resolved and every value typed. Knows neither HTTP nor SQL. */

import type { Field, Resource } from '../catalog/resource.ts';
import type { Value } from '../catalog/value.ts';
import type { Filter } from '../filter/ast.ts';
import type { OrderSymbol, TextSymbol } from '../filter/operators.ts';
import type { StreamFormat } from '../request/accept.ts';

/** Which records, which of their fields, and in which order. */
export interface Selection {
  readonly resource: Resource;
  /** In the order of the record's members. */
  readonly fields: readonly Field[];
  readonly where: Predicate | undefined;
  /** What `where` was made of: a filter, and words to search for. Undefined if there are none. */
  readonly filter?: Filter | undefined;
  readonly search?: Search | undefined;
  /** Ends with `id`, so that the order is total. */
  readonly order: readonly OrderKey[];
}

export interface PageSelection {
  readonly page: number;
  readonly limit: number;
}

export interface ListPlan extends Selection, PageSelection {
  /** Conditions to count individually; undefined unless requested. */
  readonly explained?: readonly ExplainedCondition[] | undefined;
}

/** Words, each of which a record has to have. */
export interface Search {
  /** Different ones, in the order of the request. */
  readonly words: readonly ExplainedCondition[];
  /** The best matches first. */
  readonly relevance: OrderKey;
}

/** One of the conditions that a record has to meet: a part of the filter, as filter text, or a word that is searched for. */
export interface ExplainedCondition {
  readonly kind: 'filter' | 'word';
  readonly text: string;
  readonly where: Predicate;
}

export interface ExportPlan extends Selection {
  /** One page; everything that matches if undefined. */
  readonly page: PageSelection | undefined;
  readonly format: StreamFormat;
}

/** The changes after a cursor, or all if there is none, up to a number of them. */
export interface ChangesPlan extends Omit<Selection, 'order'> {
  readonly limit: number;
  readonly cursor: Cursor | undefined;
}

/** How far a copy has followed the changes of a resource. */
export interface Cursor {
  /** The version of the ledger when the cursor was issued. */
  readonly issued: { readonly generation: number; readonly revision: number };
  /** The last change that the copy has. */
  readonly position: { readonly revision: number; readonly id: number };
  /** The revision of the ledger when the copy was begun: nothing that was removed before was ever in it. */
  readonly begun: number;
}

/** Measures of all records that match, and of groups of them. */
export interface AggregatePlan extends Pick<Selection, 'resource' | 'where' | 'filter' | 'search'> {
  readonly measures: readonly Measure[];
  readonly facets: readonly Facet[];
  /** The maximum number of groups of a facet; the others are combined. */
  readonly limit: number;
  readonly order: GroupOrder;
}

export type Measure = { readonly kind: 'count' } | { readonly kind: FieldMeasure; readonly of: Operand };
/** A field, or the product of two fields that hold numbers. */
export type Operand = readonly [Field] | readonly [Field, Field];
export type FieldMeasure = 'sum' | 'avg' | 'min' | 'max';

export interface Facet {
  readonly field: Field;
  readonly by: GroupBy;
}

/**
 * How values are grouped: each by itself, in about N ranges of equal width, or by the period they are in. Periods are in UTC
 * if there is no time zone.
 */
export type GroupBy =
  | { readonly kind: 'value' }
  | { readonly kind: 'ranges'; readonly count: number }
  | { readonly kind: 'period'; readonly period: Period; readonly zone?: string };

export type Period = 'day' | 'week' | 'month' | 'year';

/** In the order of values, or those first that have the largest measure: `count` records, or one of the measures that are requested. */
export type GroupOrder = 'value' | Measure;

export interface RecordPlan {
  readonly resource: Resource;
  readonly fields: readonly Field[];
  readonly id: number;
}

export interface CreatePlan {
  readonly resource: Resource;
  /** All other fields are null, except `id`, which the ledger assigns. */
  readonly values: ReadonlyMap<Field, Value>;
  readonly idempotency?: Idempotency | undefined;
}

/** Identifies a create request: sent again, it creates nothing. */
export interface Idempotency {
  /** Chosen by the client. */
  readonly key: string;
  /** Tells whether another request with the key is the same one. Up to the first space, it is the whole of those that older versions stored. */
  readonly fingerprint: string;
}

export type OrderKey =
  | { readonly kind: 'field'; readonly field: Field; readonly descending: boolean }
  /** First the records that meet the first condition, then those that meet the second, and so on; those that meet none come last. */
  | { readonly kind: 'conditions'; readonly conditions: readonly Predicate[] };

/** How texts are compared: folded, or, for codes, also without what separates their parts. */
export type TextForm = 'folded' | 'compact';

/** What a text is tested for: by an operator of the filter language, or to sort by relevance. */
export type TextTest = TextSymbol | 'begins' | 'equals';

/** A condition on a record: true or false, never unknown. A negated one is the exact complement, null included. */
export type Predicate =
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Predicate[] }
  | {
      readonly kind: 'equals';
      readonly field: Field;
      readonly anyOf: readonly (Value | null)[];
      readonly negated: boolean;
    }
  | {
      readonly kind: 'text';
      readonly field: Field;
      readonly test: TextTest;
      readonly form: TextForm;
      /** In this form. */
      readonly text: string;
      readonly negated: boolean;
    }
  | { readonly kind: 'ordered'; readonly field: Field; readonly operator: OrderSymbol; readonly value: Value };
