/** What a file format is to the import: a way to find rows in text, and a way to read a value from a cell. */

import type { Field, Value } from '../catalog/resource.ts';
import type { Mismatch } from '../catalog/value.ts';

export interface Format<Cell> {
  readonly name: string;
  /** The file endings by which it is known. */
  readonly endings: readonly string[];
  /** What rows are counted in. */
  readonly unit: 'line' | 'element';
  parser(): RowParser<Cell>;
  /** Nothing where the cell says nothing about the field. */
  value(field: Field, cell: Cell): Value | null | undefined | Mismatch;
  /** The cell as a message shows it. */
  print(cell: Cell): string;
  /** What stands before, between and behind rows, as they are written into a file of their own. */
  readonly frame: { before(header: string): string; readonly between: string; readonly after: string };
}

/** Takes a file's text piece by piece and gives what is whole by then. */
export interface RowParser<Cell> {
  feed(text: string): Iterable<RawRow<Cell>>;
  end(): Iterable<RawRow<Cell>>;
}

export type RawRow<Cell> =
  | (RowPlace & { readonly kind: 'header'; readonly columns: readonly string[] })
  | (RowPlace & { readonly kind: 'row'; readonly columns: readonly string[]; readonly cells: readonly Cell[] })
  /** What stands there is no row. */
  | (RowPlace & { readonly kind: 'fault'; readonly reason: string });

interface RowPlace {
  /** The line on which it begins, or which element it is, from 1. */
  readonly number: number;
  /** As the file has it. */
  readonly text: string;
}

/** A file that cannot be read any further, and where. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}
