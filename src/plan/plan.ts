/** What a request wants, with every name resolved and every value typed. It knows neither HTTP nor SQL. */

import type { Field, Resource, Value } from '../catalog/resource.ts';
import type { LineFormat } from '../request/accept.ts';

/** Which records, what of them, and in which order. */
export interface Selection {
  readonly resource: Resource;
  /** In the order in which the record's keys come. */
  readonly fields: readonly Field[];
  readonly where: Predicate | undefined;
  /** Ends with `id`, so that the order is total. */
  readonly order: readonly OrderKey[];
}

export interface PageOfList {
  readonly page: number;
  readonly limit: number;
}

export interface ListPlan extends Selection, PageOfList {}

export interface ExportPlan extends Selection {
  /** One page, or everything that matches. */
  readonly page: PageOfList | undefined;
  readonly format: LineFormat;
}

export interface RecordPlan {
  readonly resource: Resource;
  readonly fields: readonly Field[];
  readonly id: number;
}

export interface CreatePlan {
  readonly resource: Resource;
  /** What the record holds; all other fields are null, but `id`, which the ledger gives. */
  readonly values: ReadonlyMap<Field, Value>;
}

export interface OrderKey {
  readonly field: Field;
  readonly descending: boolean;
}

/** A condition on a record: true or false, never unknown. A negated one is the exact complement, null included. */
export type Predicate =
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Predicate[] }
  | {
      readonly kind: 'equals';
      readonly field: Field;
      readonly anyOf: readonly (Value | null)[];
      readonly negated: boolean;
    }
  | { readonly kind: 'contains'; readonly field: Field; readonly folded: string; readonly negated: boolean }
  | { readonly kind: 'ordered'; readonly field: Field; readonly operator: Ordering; readonly value: Value };

export type Ordering = '>' | '>=' | '<' | '<=';
