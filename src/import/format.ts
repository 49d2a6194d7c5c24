/** A file format as the import sees it: how to find rows in a file, and how to read a value from a cell. */

import type { Field, Resource } from '../catalog/resource.ts';
import type { Mismatch, Value } from '../catalog/value.ts';
import type { Decisions } from './decisions.ts';
import type { CountedRows, RowUnit } from './tables.ts';
import type { TextCells } from './text-cells.ts';

export interface Format<Cell> {
  readonly name: string;
  /** The file extensions by which it is recognized. */
  readonly extensions: readonly string[];
  /** The media types by which a request body is. */
  readonly mediaTypes: readonly string[];
  /** Whether its bytes may stand for many more, even without a content coding. */
  readonly isCompressed: boolean;
  /** What rows are counted in. */
  readonly unit: RowUnit;
  /** Whether its columns have names of their own, so that it is worth saying which was recognised as which field. */
  readonly hasHeader: boolean;
  /** The rows of a file, a millisecond's worth of them at a time. They are parsed as they are iterated, which is one step. */
  rows(
    input: FileInput,
    decisions: Decisions,
    facts: FileFacts,
    isColumn: (name: string) => boolean,
  ): AsyncIterable<Iterable<RawRow<Cell>>>;
  /** Undefined if the cell does not set the field. */
  value(field: Field, cell: Cell, texts: TextCells): Value | null | undefined | Mismatch;
  /** Whether a cell of the column `removed` says that its record is removed; undefined if it says neither. */
  flag(cell: Cell): boolean | undefined;
  isEmpty(cell: Cell): boolean;
  /** What a row has in the columns that it is too short for; undefined if it must have a cell for each. */
  readonly missing?: Cell;
  /** The cell's text, if it has to be interpreted to get a value. */
  words(cell: Cell): string | undefined;
  /** Whether the first rows show that Odoo has written them, if the names of the columns cannot. */
  isOdoo?(rows: readonly RawRow<Cell>[], resource: Resource): boolean;
  /** Whether a field of text gets a number, which may have had zeros before it. */
  isNumberAsText?(field: Field, cell: Cell): boolean;
  /** The cell as a message shows it. */
  print(cell: Cell): string;
  /** The same without quotes, and not too long. */
  text(cell: Cell): string;
  /** The media type of rows that are written to a file of their own, and what comes before, between and after them. */
  readonly rowsType: string;
  readonly frame: { before(header: string): string; readonly between: string; readonly after: string };
}

/** How bytes are compressed. */
export type Coding = 'identity' | 'gzip' | 'zstd';

export interface TextOptions {
  /** How many bytes there may be once they are decompressed. */
  readonly maxBytes?: number | undefined;
  /** By default, the first bytes tell: the extension of a file may be missing or wrong. */
  readonly coding?: Coding | undefined;
  /** By default, what the byte order mark says, or else UTF-8. */
  readonly encoding?: string | undefined;
}

export interface FileInput extends Omit<TextOptions, 'encoding'> {
  readonly bytes: AsyncIterable<Uint8Array>;
  /** If the bytes are those of a file that can be read in any order. */
  readonly path?: string | undefined;
  /** Of all bytes, once these have been read. Without it, nobody knows whether the same was imported before. */
  readonly hash?: (() => Promise<string | undefined>) | undefined;
  /** Nothing is limited by default. */
  readonly cost?: ReadingCost | undefined;
}

/** What reading costs is counted, and limited. */
export interface ReadingCost {
  /** Runs a step, of a millisecond or so, when it is its turn. */
  step<Result>(run: () => Result): Promise<Result>;
  /** More of the content has been unpacked. */
  unpacked(bytes: number): void;
  /** More memory is held until all has been read. Throws if that is too much. */
  hold(bytes: number): void;
}

export const FREE: ReadingCost = { step: async (run) => run(), unpacked() {}, hold() {} };

/** What a format has found out about a file by the time that it returns the first row. */
export interface FileFacts {
  encoding?: string;
  delimiter?: string;
  sheet?: string;
  /** In which row the names of the columns are, unless it is the first one of a text. */
  headerRow?: number;
  /** What is above it and was left out, except titles. */
  above?: CountedRows;
  /** Whether every cell so far was in quotes. */
  isQuoted?: boolean;
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
  /** As the file has it. In some formats it takes time to make, so it is asked for only if it is needed. */
  readonly text: string;
  /** About how many characters it has. */
  readonly size: number;
}

/** The rest of the file cannot be read. The message says where and why. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}
