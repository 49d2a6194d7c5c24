/** A file format as the import sees it: how to find rows in text, and how to read a value from a cell. */

import type { Field } from '../catalog/resource.ts';
import type { Mismatch, Value } from '../catalog/value.ts';

export interface Format<Cell> {
  readonly name: string;
  /** The file extensions by which it is recognized. */
  readonly extensions: readonly string[];
  /** The media types by which a request body is. */
  readonly mediaTypes: readonly string[];
  /** What rows are counted in. */
  readonly unit: 'line' | 'element';
  parser(): RowParser<Cell>;
  /** Undefined if the cell does not set the field. */
  value(field: Field, cell: Cell): Value | null | undefined | Mismatch;
  /** Whether a cell of the column `removed` says that its record is removed; undefined if it says neither. */
  flag(cell: Cell): boolean | undefined;
  /** The cell as a message shows it. */
  print(cell: Cell): string;
  /** The same without quotes, and not too long. */
  text(cell: Cell): string;
  /** What comes before, between and after rows that are written to a file of their own. */
  readonly frame: { before(header: string): string; readonly between: string; readonly after: string };
}

/** Receives a file's text chunk by chunk, and returns the rows that are complete. */
export interface RowParser<Cell> {
  feed(text: string): Iterable<RawRow<Cell>>;
  end(): Iterable<RawRow<Cell>>;
}

export type RawRow<Cell> =
  | (RowPlace & { readonly kind: 'header'; readonly columns: readonly string[] })
  | (RowPlace & { readonly kind: 'row'; readonly columns: readonly string[]; readonly cells: readonly Cell[] })
  /** It cannot be parsed as a row. */
  | (RowPlace & { readonly kind: 'error'; readonly reason: string });

interface RowPlace {
  /** The line on which it starts, or which element it is, starting at 1. */
  readonly number: number;
  /** As the file has it. */
  readonly text: string;
}

/** The rest of the file cannot be read. The message says where and why. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}
