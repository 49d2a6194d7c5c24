/** Where files are loaded into: an account of a database, or of a service on another machine. */

import type { Catalog } from '../../catalog/catalog.ts';
import type { ResourceOutline } from '../../catalog/resource.ts';
import type { ImportFormat } from '../../import/import-formats.ts';
import type { RowErrors } from '../../store/store.ts';
import type { ImportCounts } from '../import-summary.ts';
import type { ImportParameters } from './watch-rules.ts';

export interface Destination {
  /** The fields that there are, which rules may name. */
  catalog(signal: AbortSignal): Promise<Catalog | Obstacle>;
  /** The position that a source has; null if it has none. */
  position(source: string, signal: AbortSignal): Promise<string | null | Obstacle>;
  /** Loads all rows of a file, or none. Errors of reading the file are thrown. */
  load(file: LoadableFile, position: NewPosition, signal: AbortSignal): Promise<LoadOutcome | Obstacle>;
  /** Writes the rows that cannot be loaded to a file of their own. False if it is not about single rows. */
  writeRejects(file: LoadableFile, path: string, signal: AbortSignal): Promise<boolean | Obstacle>;
}

export interface LoadableFile {
  readonly name: string;
  readonly resource: ResourceOutline;
  readonly format: ImportFormat;
  readonly parameters: ImportParameters;
  /** The SHA-256 of its bytes. */
  readonly hash: string;
  /** Can be called several times. */
  bytes(): AsyncIterable<Uint8Array>;
}

export interface NewPosition {
  readonly source: string;
  readonly position: string;
  /** What it must be before. */
  readonly expected: string | null;
}

export type LoadOutcome =
  | { readonly kind: 'loaded'; readonly counts: ImportCounts }
  /** Somebody else has loaded a file from the same source. */
  | { readonly kind: 'position changed' }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

/** Why a file cannot be loaded as it is. */
export interface Refusal {
  readonly code: string;
  readonly detail: string;
  readonly suggestion: string | undefined;
  /** Of its rows. */
  readonly errors: RowErrors | undefined;
}

/** Files cannot be loaded at the moment, whatever is in them. The message is a sentence. */
export class Obstacle {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}
