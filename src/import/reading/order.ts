/** What a thread is told to read, and what it says about it: data only, because functions and classes do not reach a thread. */

import type { MessagePort } from 'node:worker_threads';
import type { Resource } from '../../catalog/resource.ts';
import type { LoadPlan, RowErrors, StagedBatch, StagingOrder } from '../../store/store.ts';
import type { Decisions, Question, Recognised } from '../decisions.ts';
import type { FileInput } from '../format.ts';
import type { ImportFormat } from '../import-formats.ts';
import type { Found } from '../import-plan.ts';
import type { RejectFrame } from '../reject-file.ts';
import type { WordsName } from '../words.ts';

export interface ReadingOrder
  extends Pick<LoadPlan, 'onRowError' | 'replace' | 'dryRun'>,
    Omit<StagingOrder, 'resource'>,
    Pick<FileInput, 'maxBytes' | 'coding' | 'path'> {
  readonly format: ImportFormat['name'];
  /** Fields are told by their names. */
  readonly key: string;
  readonly columns: readonly (readonly [column: string, field: string | undefined])[];
  readonly decisions: Omit<Decisions, 'columns'>;
  readonly words: WordsName;
  /** Whether rows that cannot be imported are sent back as the file has them. */
  readonly keepsRejects: boolean;
}

/** What a thread gets once per import. */
export interface ReadingCommand {
  readonly order: ReadingOrder;
  readonly resource: SentResource;
  readonly port: MessagePort;
}

/** A resource may have hundreds of fields, so each thread gets it once. */
export interface SentResource {
  readonly number: number;
  /** If it was not sent before. */
  readonly content?: Resource;
}

export type ToReader =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'no more bytes' }
  /** A piece was taken. */
  | { readonly kind: 'taken' };

export type FromReader =
  | { readonly kind: 'bytes wanted' }
  | { readonly kind: 'piece'; readonly piece: Piece }
  | { readonly kind: 'end'; readonly findings: Findings; readonly failure?: ReadingFailure };

/** Rows that were read. */
export interface Piece {
  /** Undefined if nothing will be written, because of an error in an earlier row. */
  readonly staged?: StagedBatch;
  /** How many rows have been read so far, and how many of them cannot be imported. */
  readonly rows: number;
  readonly rejected: number;
  /** Those of this piece, if they are kept. */
  readonly rejects: readonly string[];
  /** What is around rejected rows; with the first piece. */
  readonly frame?: RejectFrame;
}

/** What was found in all rows. */
export interface Findings extends Found {
  readonly errors: RowErrors;
}

/** Why the rows, or the rest of them, were not read. */
export type ReadingFailure =
  | { readonly kind: 'invalid rows' }
  | { readonly kind: 'undecided'; readonly questions: readonly Question[]; readonly recognised?: Recognised }
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'too many bytes' }
  | { readonly kind: 'too much held'; readonly isOfAccount: boolean }
  /** No temporary space is left. */
  | { readonly kind: 'no temporary space'; readonly message: string }
  /** `error` has what an error of the file system has besides its message. */
  | { readonly kind: 'file error'; readonly message: string; readonly error: Partial<NodeJS.ErrnoException> }
  | { readonly kind: 'bug'; readonly message: string; readonly stack: string };
