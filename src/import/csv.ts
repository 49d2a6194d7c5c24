/**
 * CSV as in RFC 4180, with the column names in the first line, separated by `,` `;` `|` or tab. An empty cell is null, or unset if
 * the field is not nullable; an empty cell in quotes is the empty text, unless every cell is in quotes.
 */

import { quoted, truncated } from '../problem/quoted.ts';
import { DELIMITERS, type Decisions, type Delimiter } from './decisions.ts';
import { type FileFacts, type Format, type RawRow, type RowParser, UnreadableFile } from './format.ts';
import { LineSplitter, MAX_LINE_LENGTH } from './lines.ts';
import { booleanOf } from './text-cells.ts';
import { textRows } from './text-rows.ts';

/** A quoted empty cell; an unquoted one is `''`. */
const EMPTY_TEXT = Symbol('""');

type CsvCell = string | typeof EMPTY_TEXT;

export const csv: Format<CsvCell> = {
  name: 'csv',
  extensions: ['.csv', '.tsv'],
  mediaTypes: ['text/csv', 'text/tab-separated-values'],
  isCompressed: false,
  unit: 'line',
  hasHeader: true,
  rows: (input, decisions, facts) => textRows(new CsvParser(decisions, facts), input, decisions, facts),
  value(field, cell, texts) {
    if (cell === '') return texts.empty(field);
    return cell === EMPTY_TEXT ? texts.emptyText(field) : texts.read(field, cell);
  },
  flag: (cell) => (textOf(cell).trim() === '' ? false : booleanOf(textOf(cell))),
  isEmpty: (cell) => textOf(cell) === '',
  words: textOf,
  print: (cell) => quoted(textOf(cell)),
  text: (cell) => truncated(textOf(cell)),
  rowsType: 'text/csv',
  frame: { before: (header) => `${header}\n`, between: '\n', after: '\n' },
};

function textOf(cell: CsvCell): string {
  return cell === EMPTY_TEXT ? '' : cell;
}

/** What Excel writes in a line of its own before all others. */
const SEPARATOR_LINE = /^"?sep=(.)"?\r?$/i;

export class CsvParser implements RowParser<CsvCell> {
  readonly #splitter = new LineSplitter();
  readonly #facts: FileFacts;
  #columns: readonly string[] | undefined;
  #delimiter: string | undefined;
  #separatorLine = '';
  /** How many lines have been read, and the line on which the current row started. */
  #lines = 0;
  #rowStart = 1;
  /** The current row so far: its cells, and its lines except the last. */
  #cells: CsvCell[] = [];
  #text = '';
  /** The text after a quote that is still open. */
  #open: string | undefined;
  /** What is wrong with the current row. */
  #error: string | undefined;

  constructor({ delimiter }: Pick<Decisions, 'delimiter'> = {}, facts: FileFacts = {}) {
    this.#delimiter = delimiter;
    this.#facts = facts;
    facts.isQuoted = true;
  }

  feed(text: string): Iterable<RawRow<CsvCell>> {
    return this.#rows(this.#splitter.feed(text));
  }

  *end(): Iterable<RawRow<CsvCell>> {
    yield* this.#rows(this.#splitter.end());
    if (this.#open !== undefined) throw this.#unclosedQuote();
    if (this.#columns === undefined) throw new UnreadableFile('There is no first line, which must name the columns.');
  }

  *#rows(lines: readonly string[]): Iterable<RawRow<CsvCell>> {
    for (const line of lines) {
      this.#lines += 1;
      if (this.#open === undefined) {
        if (line === '' || line === '\r') continue;
        this.#rowStart = this.#lines;
        if (this.#columns === undefined && this.#isSeparatorLine(line)) continue;
      }
      const end = line.endsWith('\r') ? line.length - 1 : line.length;
      this.#delimiter ??= delimiterOf(line);
      this.#read(line, end, this.#delimiter);
      if (this.#open === undefined) yield this.#finish(this.#text + line.slice(0, end));
      else {
        this.#text += `${line}\n`;
        if (this.#text.length > MAX_LINE_LENGTH) throw this.#unclosedQuote();
      }
    }
  }

  #isSeparatorLine(line: string): boolean {
    const [, separator] = SEPARATOR_LINE.exec(line) ?? [];
    if (separator === undefined) return false;
    this.#delimiter ??= separator;
    this.#separatorLine = `${line.trimEnd()}\n`;
    return true;
  }

  #finish(text: string): RawRow<CsvCell> {
    const [cells, error, number] = [this.#cells, this.#error, this.#rowStart];
    this.#cells = [];
    this.#text = '';
    this.#error = undefined;
    if (this.#columns !== undefined) {
      return error === undefined
        ? { kind: 'row', number, text, size: text.length, columns: this.#columns, cells }
        : { kind: 'error', number, text, size: text.length, reason: error };
    }
    if (error !== undefined) throw new UnreadableFile(`Line ${number}: ${error}.`);
    this.#columns = cells.map((cell) => textOf(cell).trim());
    if (this.#delimiter !== undefined) this.#facts.delimiter = this.#delimiter;
    const size = text.length;
    return { kind: 'header', number, text: this.#separatorLine + text, size, columns: this.#columns };
  }

  /** `a,"b ""c""",""` has the cells `a`, `b "c"` and the empty text. A quote inside a bare cell is an ordinary character. */
  #read(line: string, end: number, delimiter: string): void {
    if (this.#open === undefined && !line.includes('"')) {
      this.#facts.isQuoted = false;
      this.#cells = line.slice(0, end).split(delimiter);
      return;
    }
    let at = this.#open === undefined ? 0 : this.#quoted(line, 0, end, delimiter);
    while (at <= end) {
      if (line[at] === '"') at = this.#quoted(line, at + 1, end, delimiter);
      else {
        this.#facts.isQuoted = false;
        const next = line.indexOf(delimiter, at);
        const stop = next < 0 ? end : next;
        this.#cells.push(line.slice(at, stop));
        at = stop + 1;
      }
    }
  }

  /** Reads a cell from after its opening quote, and returns the position after the delimiter that follows. */
  #quoted(line: string, from: number, end: number, delimiter: string): number {
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
    if (close + 1 < end && line[close + 1] !== delimiter) {
      this.#error = `expected '${delimiter}' after the closing quote, found '${line[close + 1]}'; inside quotes, write a quote twice`;
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

function delimiterOf(header: string): Delimiter {
  const unquoted = header.replaceAll(/"[^"]*"/g, '');
  const count = (delimiter: string) => unquoted.split(delimiter).length;
  return DELIMITERS.reduce<Delimiter>((best, candidate) => (count(candidate) > count(best) ? candidate : best), ',');
}
