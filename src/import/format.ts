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
}

/** Takes a file's text piece by piece and gives what is whole by then. */
export interface RowParser<Cell> {
  feed(text: string): Iterable<RawRow<Cell>>;
  end(): Iterable<RawRow<Cell>>;
}

export interface RawRow<Cell> {
  /** The line on which it begins, or which element it is, from 1. */
  readonly number: number;
  readonly columns: readonly string[];
  /** None in a row that only names the columns. */
  readonly cells: readonly Cell[] | undefined;
}

/** A file that cannot be read any further, and where. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}
