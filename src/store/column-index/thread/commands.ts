/** What the thread that holds the columns is told, and what it answers. */

import type { Field } from '../../../catalog/resource.ts';
import type { OrderKey, Predicate } from '../../../plan/plan.ts';
import type { AggregateBody, PrintedAggregate } from './aggregate-body.ts';
import type { ExplainedCounts } from './table.ts';

/** The version of the ledger at which the columns are complete. */
export interface ColumnVersion {
  readonly generation: number;
  readonly revision: number;
  readonly rows: number;
}

/** `table` identifies a table, and `number` a computation. */
export type ColumnCommand =
  | { readonly kind: 'create'; readonly table: number; readonly fields: readonly Field[] }
  /** Begins a computation from lines, which then gets them, until `finish` begins what is left to do. */
  | { readonly kind: 'consume'; readonly number: number; readonly computation: LineComputation }
  /** The result if the rest of the lines does not matter. */
  | { readonly kind: 'add'; readonly number: number; readonly lines: Uint8Array }
  | BeginCommand
  /** Continues a computation that is not finished: others get their turn between two steps. */
  | { readonly kind: 'step'; readonly number: number }
  | { readonly kind: 'cancel'; readonly number: number }
  | { readonly kind: 'drop'; readonly table: number };

/** Begins a computation. */
export type BeginCommand =
  /** See `rowsIn`. Without a version, the table is not complete after them. */
  | {
      readonly kind: 'apply';
      readonly table: number;
      readonly number: number;
      readonly rows: Uint8Array | string;
      readonly version: ColumnVersion | undefined;
    }
  | { readonly kind: 'find'; readonly table: number; readonly number: number; readonly page: PageRequest }
  | { readonly kind: 'aggregate'; readonly table: number; readonly number: number; readonly request: AggregateRequest }
  | { readonly kind: 'words'; readonly table: number; readonly number: number; readonly request: WordsRequest }
  | { readonly kind: 'finish'; readonly number: number };

/** Words that were searched for in vain, for which similar ones are wanted. */
export interface WordsRequest {
  /** Text fields. */
  readonly fields: readonly Field[];
  /** Folded. */
  readonly words: readonly string[];
}

export interface PageRequest {
  readonly where: Predicate | undefined;
  readonly order: readonly OrderKey[];
  readonly offset: number;
  readonly limit: number;
  /** If probably fewer records are candidates, they are not looked for: the search index of the database finds them faster. */
  readonly minCandidates?: number;
  /** Conditions to count individually. */
  readonly explained?: readonly Predicate[] | undefined;
}

interface AggregateLimits {
  /** The fields whose values are needed. */
  readonly fields: readonly Field[];
  /** The maximum number of characters of different texts that are held in memory. */
  readonly maxCharacters: number;
}

export interface AggregateRequest extends PrintedAggregate, AggregateLimits {
  readonly where: Predicate | undefined;
  /** The maximum number of values that are held in memory. */
  readonly maxValues: number;
}

export interface LineAggregate extends PrintedAggregate, AggregateLimits {
  /** How many records match. */
  readonly total: number;
}

/** What can be computed from lines: the hash of their bytes, measures and groups of their records, or similar words. */
export type LineComputation =
  | { readonly kind: 'sha256' }
  | ({ readonly kind: 'aggregate' } & LineAggregate)
  | ({ readonly kind: 'words' } & WordsRequest);

export type ColumnResult =
  /** The memory of the table. */
  | { readonly kind: 'stored'; readonly bytes: number }
  | { readonly kind: 'found'; readonly page: FoundIds }
  /** It is not finished yet. */
  | { readonly kind: 'working' }
  | { readonly kind: 'aggregated'; readonly aggregated: Aggregated }
  /** From lines. */
  | { readonly kind: 'printed'; readonly body: AggregateBody }
  /** In hexadecimal. */
  | { readonly kind: 'hashed'; readonly sha256: string }
  /** For each of the words, those that are most like it. */
  | { readonly kind: 'nearest'; readonly words: readonly (readonly string[])[] }
  /** There are so few candidates that the page was not looked for. */
  | { readonly kind: 'few' }
  /** The table has changed while it was read, or is being changed. */
  | { readonly kind: 'changed' }
  /** The page is too far from both ends of a sorted list. */
  | { readonly kind: 'incomplete' };

export interface FoundIds {
  readonly version: ColumnVersion;
  readonly total: number;
  /** Of the records on the page, in its order. */
  readonly ids: readonly number[];
  /** For each of the conditions to be explained. */
  readonly explained: readonly ExplainedCounts[] | undefined;
}

export interface Aggregated {
  readonly version: ColumnVersion;
  readonly total: number;
  readonly body: AggregateBody | 'too many values';
}
