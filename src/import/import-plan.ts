/** How rows are imported, and what became of them. */

import type { Value } from '../catalog/value.ts';
import type { ImportEntry, LoadPlan, LoadResult, RowErrors } from '../store/store.ts';
import type { Decisions, Question, Recognised } from './decisions.ts';
import type { Rejects, UnwritableRejects } from './reject-file.ts';
import type { ImportWords } from './words.ts';

export interface ImportPlan extends LoadPlan {
  readonly decisions: Decisions;
  readonly words: ImportWords;
  readonly import: ImportEntry;
  /** Receives the rows that are skipped. */
  readonly rejects?: Rejects | undefined;
}

export interface Imported extends Omit<Extract<LoadResult, { kind: 'loaded' }>, 'kind' | 'skipped' | 'record'> {
  readonly kind: 'imported';
  readonly skipped: number;
  /** The errors of the skipped rows. */
  readonly errors: RowErrors;
  readonly found: Found;
  /** Why not all skipped rows were written to their file. */
  readonly unwritten?: UnwritableRejects;
}

/** What was found in a file. */
export interface Found {
  /** Undefined if there was nothing to recognise. */
  readonly recognised?: Recognised;
  /** The first rows, as they would be stored: a member for each field. */
  readonly preview: readonly Readonly<Record<string, Value | null>>[];
}

export type ImportResult =
  | Imported
  | {
      readonly kind: 'refused';
      readonly errors: RowErrors;
      readonly found: Found;
      /** Found while reading the rows: the others were not compared with the records. */
      readonly isPartial?: true;
    }
  /** Somebody has to decide something first. */
  | { readonly kind: 'undecided'; readonly questions: readonly Question[]; readonly found: Found }
  /** The rest of the rows cannot be read. */
  | { readonly kind: 'unreadable'; readonly message: string }
  | Exclude<LoadResult, { readonly kind: 'loaded' | 'refused' | 'added again' }>;
