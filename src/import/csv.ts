/**
 * CSV as in RFC 4180, with the field names in the first line, separated by `,` `;` or tab. An empty cell is null, or unset if
 * the field is not nullable; an empty cell in quotes is the empty text.
 */

import { valueFromText } from '../catalog/field-value.ts';
import type { Field } from '../catalog/resource.ts';
import type { Mismatch, Value } from '../catalog/value.ts';
import { quoted, truncated } from '../problem/quoted.ts';
import { type Format, type RawRow, type RowParser, UnreadableFile } from './format.ts';
import { LineSplitter, MAX_LINE_LENGTH } from './lines.ts';

/** A quoted empty cell; an unquoted one is `''`. */
const EMPTY_TEXT = Symbol('""');

type Cell = string | typeof EMPTY_TEXT;

export const csv: Format<Cell> = {
  name: 'csv',
  extensions: ['.csv'],
  mediaTypes: ['text/csv'],
  unit: 'line',
  parser: () => new CsvParser(),
  value: readCell,
  flag: (cell) => FLAGS.get(textOf(cell).trim().toLowerCase()),
  print: (cell) => quoted(textOf(cell)),
  text: (cell) => truncated(textOf(cell)),
  frame: { before: (header) => `${header}\n`, between: '\n', after: '\n' },
};

const FLAGS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
  ['', false],
]);

const DELIMITERS = [',', ';', '\t'] as const;

function readCell(field: Field, cell: Cell): Value | null | undefined | Mismatch {
  if (cell === '') return field.nullable ? null : undefined;
  return valueFromText(field, textOf(cell));
}

function textOf(cell: Cell): string {
  return cell === EMPTY_TEXT ? '' : cell;
}

class CsvParser implements RowParser<Cell> {
  readonly #splitter = new LineSplitter();
  #columns: readonly string[] | undefined;
  #delimiter = ',';
  /** How many lines have been read, and the line on which the current row started. */
  #lines = 0;
  #rowStart = 1;
  /** The current row so far: its cells, and its lines except the last. */
  #cells: Cell[] = [];
  #text = '';
  /** The text after a quote that is still open. */
  #open: string | undefined;
  /** What is wrong with the current row. */
  #error: string | undefined;

  feed(text: string): Iterable<RawRow<Cell>> {
    return this.#rows(this.#splitter.feed(text));
  }

  *end(): Iterable<RawRow<Cell>> {
    yield* this.#rows(this.#splitter.end());
    if (this.#open !== undefined) throw this.#unclosedQuote();
    if (this.#columns === undefined) throw new UnreadableFile('There is no first line, which must name the columns.');
  }

  *#rows(lines: readonly string[]): Iterable<RawRow<Cell>> {
    for (const line of lines) {
      this.#lines += 1;
      if (this.#open === undefined) {
        if (line === '' || line === '\r') continue;
        this.#rowStart = this.#lines;
        if (this.#columns === undefined) this.#delimiter = delimiterOf(line);
      }
      const end = line.endsWith('\r') ? line.length - 1 : line.length;
      this.#read(line, end);
      if (this.#open === undefined) yield this.#finish(this.#text + line.slice(0, end));
      else this.#text += `${line}\n`;
    }
  }

  #finish(text: string): RawRow<Cell> {
    const [cells, error, number] = [this.#cells, this.#error, this.#rowStart];
    this.#cells = [];
    this.#text = '';
    this.#error = undefined;
    if (this.#columns !== undefined) {
      return error === undefined
        ? { kind: 'row', number, text, columns: this.#columns, cells }
        : { kind: 'error', number, text, reason: error };
    }
    if (error !== undefined) throw new UnreadableFile(`Line ${number}: ${error}.`);
    this.#columns = cells.map((cell) => textOf(cell).trim());
    return { kind: 'header', number, text, columns: this.#columns };
  }

  /** `a,"b ""c""",""` has the cells `a`, `b "c"` and the empty text. A quote inside a bare cell is an ordinary character. */
  #read(line: string, end: number): void {
    if (this.#open === undefined && !line.includes('"')) {
      this.#cells = line.slice(0, end).split(this.#delimiter);
      return;
    }
    let at = this.#open === undefined ? 0 : this.#quoted(line, 0, end);
    while (at <= end) {
      if (line[at] === '"') at = this.#quoted(line, at + 1, end);
      else {
        const next = line.indexOf(this.#delimiter, at);
        const stop = next < 0 ? end : next;
        this.#cells.push(line.slice(at, stop));
        at = stop + 1;
      }
    }
  }

  /** Reads a cell from after its opening quote, and returns the position after the delimiter that follows. */
  #quoted(line: string, from: number, end: number): number {
    const opened = this.#open ?? '';
    let close = line.indexOf('"', from);
    while (close >= 0 && line[close + 1] === '"') close = line.indexOf('"', close + 2);
    if (close < 0) {
      this.#open = `${opened}${line.slice(from)}\n`;
      if (this.#open.length > MAX_LINE_LENGTH) throw this.#unclosedQuote();
      return end + 1;
    }
    const text = (opened + line.slice(from, close)).replaceAll('""', '"');
    this.#cells.push(text === '' ? EMPTY_TEXT : text);
    this.#open = undefined;
    if (close + 1 < end && line[close + 1] !== this.#delimiter) {
      this.#error = `expected '${this.#delimiter}' after the closing quote, found '${line[close + 1]}'; inside quotes, write a quote twice`;
      return end + 1;
    }
    return close + 2;
  }

  #unclosedQuote(): UnreadableFile {
    return new UnreadableFile(
      `Line ${this.#rowStart}: a quote is opened but never closed. Inside quotes, write a quote twice.`,
    );
  }
}

function delimiterOf(header: string): string {
  const unquoted = header.replaceAll(/"[^"]*"/g, '');
  const count = (delimiter: string) => unquoted.split(delimiter).length;
  return DELIMITERS.reduce((best, candidate) => (count(candidate) > count(best) ? candidate : best));
}
