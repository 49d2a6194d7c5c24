/**
 * CSV as RFC 4180 describes it, with the field names in the first line, separated by `,` `;` or tab.
 * An empty cell means null, or nothing where the field is never null; an empty cell in quotes is the empty text.
 */

import type { Field, Value } from '../catalog/resource.ts';
import { storableText } from '../catalog/storable.ts';
import type { Mismatch } from '../catalog/value.ts';
import { type Format, type RawRow, type RowParser, UnreadableFile } from './format.ts';
import { LineCutter } from './lines.ts';

/** A cell that has quotes and nothing in them; without quotes it would be `''`. */
const EMPTY_TEXT = Symbol('""');

type Cell = string | typeof EMPTY_TEXT;

export const csv: Format<Cell> = { name: 'csv', endings: ['.csv'], parser: () => new CsvParser(), value, print };

const DELIMITERS = [',', ';', '\t'] as const;

/** The longest row, in characters. What is longer is a quote that was never closed. */
const MAX_ROW_LENGTH = 1024 * 1024;

function value(field: Field, cell: Cell): Value | null | undefined | Mismatch {
  if (cell === '') return field.nullable ? null : undefined;
  return storableText(field, print(cell));
}

function print(cell: Cell): string {
  return cell === EMPTY_TEXT ? '' : cell;
}

class CsvParser implements RowParser<Cell> {
  readonly #cutter = new LineCutter();
  #header:
    | { readonly columns: readonly string[]; readonly columnsLine: number; readonly delimiter: string }
    | undefined;
  /** Lines read so far. */
  #lines = 0;
  /** The lines of a row whose quotes are not all closed yet, and their length. */
  #open: string[] = [];
  #openLength = 0;

  feed(text: string): Iterable<RawRow<Cell>> {
    return this.#rows(this.#cutter.feed(text));
  }

  *end(): Iterable<RawRow<Cell>> {
    yield* this.#rows(this.#cutter.end());
    if (this.#open.length > 0) throw neverClosed(this.#lines - this.#open.length + 1);
  }

  *#rows(lines: readonly string[]): Iterable<RawRow<Cell>> {
    for (const line of lines) {
      this.#lines += 1;
      const content = this.#whole(line)?.replace(/\r$/, '');
      if (content === undefined || content === '') continue;
      const begins = this.#lines - count(content, '\n');
      if (this.#header !== undefined) {
        const { columns, columnsLine, delimiter } = this.#header;
        yield { line: begins, columns, columnsLine, cells: cellsOf(content, delimiter, begins) };
        continue;
      }
      const delimiter = delimiterOf(content);
      const columns = cellsOf(content, delimiter, begins).map((cell) => print(cell).trim());
      this.#header = { columns, columnsLine: begins, delimiter };
    }
  }

  /** A row may have line breaks inside quotes: it is whole once its quotes are even in number. */
  #whole(line: string): string | undefined {
    const hasOddQuotes = line.includes('"') && count(line, '"') % 2 === 1;
    if (this.#open.length === 0 && !hasOddQuotes) return line;
    this.#open.push(line);
    this.#openLength += line.length;
    if (this.#openLength > MAX_ROW_LENGTH) throw neverClosed(this.#lines - this.#open.length + 1);
    if (this.#open.length === 1 || !hasOddQuotes) return undefined;
    const content = this.#open.join('\n');
    this.#open = [];
    this.#openLength = 0;
    return content;
  }
}

/** `a,"b ""c""",""` has the cells `a`, `b "c"` and the empty text. */
function cellsOf(content: string, delimiter: string, line: number): readonly Cell[] {
  if (!content.includes('"')) return content.split(delimiter);
  const cells: Cell[] = [];
  let at = 0;
  while (at <= content.length) {
    const [cell, end] = content[at] === '"' ? quotedCell(content, at, line) : bareCell(content, at, delimiter);
    if (end < content.length && content[end] !== delimiter) {
      throw new UnreadableFile(
        `Line ${line}: after a closing quote there is ${content[end]} where ${delimiter} was expected.`,
      );
    }
    cells.push(cell);
    at = end + 1;
  }
  return cells;
}

function bareCell(content: string, at: number, delimiter: string): [Cell, number] {
  const next = content.indexOf(delimiter, at);
  const end = next < 0 ? content.length : next;
  return [content.slice(at, end), end];
}

function quotedCell(content: string, at: number, line: number): [Cell, number] {
  let close = content.indexOf('"', at + 1);
  while (close >= 0 && content[close + 1] === '"') close = content.indexOf('"', close + 2);
  if (close < 0) throw neverClosed(line);
  const text = content.slice(at + 1, close).replaceAll('""', '"');
  return [text === '' ? EMPTY_TEXT : text, close + 1];
}

function delimiterOf(header: string): string {
  const bare = header.replaceAll(/"[^"]*"/g, '');
  return DELIMITERS.reduce((best, candidate) => (count(bare, candidate) > count(bare, best) ? candidate : best));
}

function count(text: string, character: string): number {
  return text.split(character).length - 1;
}

function neverClosed(line: number): UnreadableFile {
  return new UnreadableFile(`Line ${line}: a quote is opened and never closed.`);
}
