/** How rows are imported, and what became of them. */

import type { ImportEntry, LoadPlan, LoadResult, RowErrors } from '../store/store.ts';
import type { RejectFile, UnwritableRejects } from './reject-file.ts';
import type { ColumnMap } from './row-reader.ts';
import type { ImportWords } from './words.ts';

export interface ImportPlan extends LoadPlan {
  readonly columns: ColumnMap;
  readonly words: ImportWords;
  readonly import: ImportEntry;
  /** Receives the rows that are skipped. */
  readonly rejects?: RejectFile | undefined;
}

export interface Imported extends Omit<Extract<LoadResult, { kind: 'loaded' }>, 'kind' | 'skipped' | 'record'> {
  readonly kind: 'imported';
  readonly skipped: number;
  /** The errors of the skipped rows. */
  readonly errors: RowErrors;
  /** Why not all skipped rows were written to their file. */
  readonly unwritten?: UnwritableRejects;
}

export type ImportResult =
  | Imported
  | {
      readonly kind: 'refused';
      readonly errors: RowErrors;
      /** Found while reading the rows: the others were not compared with the records. */
      readonly isPartial?: true;
    }
  /** The rest of the rows cannot be read. */
  | { readonly kind: 'unreadable'; readonly message: string }
  | Exclude<LoadResult, { readonly kind: 'loaded' | 'refused' }>;
