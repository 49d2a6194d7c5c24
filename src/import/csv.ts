/**
 * CSV as RFC 4180 describes it, with the field names in the first line, separated by `,` `;` or tab.
 * An empty cell means null, or nothing where the field is never null; an empty cell in quotes is the empty text.
 */

import type { Field, Value } from '../catalog/resource.ts';
import { storableText } from '../catalog/storable.ts';
import type { Mismatch } from '../catalog/value.ts';
import { type Format, type RawRow, type RowParser, UnreadableFile } from './format.ts';
import { LineCutter, MAX_LINE_LENGTH } from './lines.ts';

/** A cell that has quotes and nothing in them; without quotes it would be `''`. */
const EMPTY_TEXT = Symbol('""');

type Cell = string | typeof EMPTY_TEXT;

export const csv: Format<Cell> = {
  name: 'csv',
  endings: ['.csv'],
  unit: 'line',
  parser: () => new CsvParser(),
  value: readCell,
  print: printCell,
  frame: { before: (header) => `${header}\n`, between: '\n', after: '\n' },
};

const DELIMITERS = [',', ';', '\t'] as const;

function readCell(field: Field, cell: Cell): Value | null | undefined | Mismatch {
  if (cell === '') return field.nullable ? null : undefined;
  return storableText(field, printCell(cell));
}

function printCell(cell: Cell): string {
  return cell === EMPTY_TEXT ? '' : cell;
}

class CsvParser implements RowParser<Cell> {
  readonly #cutter = new LineCutter();
  #columns: readonly string[] | undefined;
  #delimiter = ',';
  /** Lines read so far, and the one on which the row began. */
  #lines = 0;
  #began = 1;
  /** The row so far: its cells, and its lines but for the last. */
  #cells: Cell[] = [];
  #text = '';
  /** Where a quote is still open, what follows it. */
  #open: string | undefined;
  /** What is wrong with the row. */
  #fault: string | undefined;

  feed(text: string): Iterable<RawRow<Cell>> {
    return this.#rows(this.#cutter.feed(text));
  }

  *end(): Iterable<RawRow<Cell>> {
    yield* this.#rows(this.#cutter.end());
    if (this.#open !== undefined) throw this.#neverClosed();
    if (this.#columns === undefined)
      throw new UnreadableFile('The file is empty: its first line has to name the columns.');
  }

  *#rows(lines: readonly string[]): Iterable<RawRow<Cell>> {
    for (const line of lines) {
      this.#lines += 1;
      if (this.#open === undefined) {
        if (line === '' || line === '\r') continue;
        this.#began = this.#lines;
        if (this.#columns === undefined) this.#delimiter = delimiterOf(line);
      }
      const end = line.endsWith('\r') ? line.length - 1 : line.length;
      this.#read(line, end);
      if (this.#open === undefined) yield this.#taken(this.#text + line.slice(0, end));
      else this.#text += `${line}\n`;
    }
  }

  #taken(text: string): RawRow<Cell> {
    const [cells, fault, number] = [this.#cells, this.#fault, this.#began];
    this.#cells = [];
    this.#text = '';
    this.#fault = undefined;
    if (this.#columns !== undefined) {
      return fault === undefined
        ? { kind: 'row', number, text, columns: this.#columns, cells }
        : { kind: 'fault', number, text, reason: fault };
    }
    if (fault !== undefined) throw new UnreadableFile(`Line ${number}: ${fault}.`);
    this.#columns = cells.map((cell) => printCell(cell).trim());
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

  /** Reads a cell from behind its opening quote, and gives the place behind the delimiter that follows. */
  #quoted(line: string, from: number, end: number): number {
    const opened = this.#open ?? '';
    let close = line.indexOf('"', from);
    while (close >= 0 && line[close + 1] === '"') close = line.indexOf('"', close + 2);
    if (close < 0) {
      this.#open = `${opened}${line.slice(from)}\n`;
      if (this.#open.length > MAX_LINE_LENGTH) throw this.#neverClosed();
      return end + 1;
    }
    const text = (opened + line.slice(from, close)).replaceAll('""', '"');
    this.#cells.push(text === '' ? EMPTY_TEXT : text);
    this.#open = undefined;
    if (close + 1 < end && line[close + 1] !== this.#delimiter) {
      this.#fault = `after a closing quote there is ${line[close + 1]} where ${this.#delimiter} was expected; inside quotes, a quote is written twice`;
      return end + 1;
    }
    return close + 2;
  }

  #neverClosed(): UnreadableFile {
    return new UnreadableFile(
      `Line ${this.#began}: a quote is opened and never closed. Inside quotes, a quote is written twice.`,
    );
  }
}

function delimiterOf(header: string): string {
  const bare = header.replaceAll(/"[^"]*"/g, '');
  const count = (delimiter: string) => bare.split(delimiter).length;
  return DELIMITERS.reduce((best, candidate) => (count(candidate) > count(best) ? candidate : best));
}
