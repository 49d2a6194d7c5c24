/**
 * CSV as in RFC 4180, with the column names in the first line, separated by `,` `;` `|` or tab. An empty cell is null, or unset if
 * the field is not nullable; an empty cell in quotes is the empty text, unless every cell is in quotes.
 */

import { quoted, truncated } from '../problem/quoted.ts';
import { DELIMITERS, type Decisions, type Delimiter } from './decisions.ts';
import { type FileFacts, type Format, type RawRow, type RowParser, UnreadableFile } from './format.ts';
import { ANY_ENDING, endOf, LineSplitter, MAX_LINE_LENGTH } from './lines.ts';
import { CountedRows, noSuchRow } from './tables.ts';
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
const SEPARATOR_LINE = /^"?sep=(.)"?[\r\n]*$/i;

export class CsvParser implements RowParser<CsvCell> {
  readonly #splitter = new LineSplitter(ANY_ENDING);
  readonly #facts: FileFacts;
  #columns: readonly string[] | undefined;
  #delimiter: string | undefined;
  readonly #headerRow: number | undefined;
  /** What is above the names of the columns, as it counts with each delimiter: a line without one is a title. */
  readonly #above = new Map<string, CountedRows>();
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

  constructor({ delimiter, headerRow }: Pick<Decisions, 'delimiter' | 'headerRow'> = {}, facts: FileFacts = {}) {
    this.#delimiter = delimiter;
    this.#headerRow = headerRow;
    this.#facts = facts;
    facts.isQuoted = true;
  }

  feed(text: string): Iterable<RawRow<CsvCell>> {
    return this.#rows(this.#splitter.feed(text));
  }

  *end(): Iterable<RawRow<CsvCell>> {
    yield* this.#rows(this.#splitter.end());
    if (this.#open !== undefined) throw this.#unclosedQuote();
    if (this.#columns === undefined && this.#headerRow !== undefined)
      throw new UnreadableFile(noSuchRow(this.#headerRow, 'line'));
    if (this.#columns === undefined) throw new UnreadableFile('There is no first line, which must name the columns.');
  }

  *#rows(lines: readonly string[]): Iterable<RawRow<CsvCell>> {
    for (const line of lines) {
      this.#lines += 1;
      if (this.#open === undefined) {
        this.#rowStart = this.#lines;
        if (this.#columns === undefined && (this.#isSeparatorLine(line) || this.#isAbove(line))) continue;
      }
      const end = endOf(line);
      if (this.#open === undefined && isBlank(line, end, this.#delimiter)) continue;
      this.#delimiter ??= delimiterOf(line);
      this.#read(line, end, this.#delimiter);
      if (this.#open === undefined) yield this.#finish(this.#text + line.slice(0, end));
      else {
        this.#text += line;
        if (this.#text.length > MAX_LINE_LENGTH) throw this.#unclosedQuote();
      }
    }
  }

  /** Whether a line is above the one that somebody has named. */
  #isAbove(line: string): boolean {
    if (this.#headerRow === undefined || this.#lines === this.#headerRow) return false;
    if (this.#lines > this.#headerRow) throw new UnreadableFile(noSuchRow(this.#headerRow, 'line'));
    for (const delimiter of DELIMITERS) {
      if (!line.includes(delimiter)) continue;
      const above = this.#above.get(delimiter) ?? new CountedRows();
      above.add(this.#lines);
      this.#above.set(delimiter, above);
    }
    return true;
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
    const above = this.#above.get(this.#delimiter ?? '');
    if (above !== undefined) this.#facts.above = above;
    if (this.#headerRow !== undefined) this.#facts.headerRow = this.#headerRow;
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
      this.#open = opened + line.slice(from);
      if (this.#open.length > MAX_LINE_LENGTH) throw this.#unclosedQuote();
      return end + 1;
    }
    const text = (opened + line.slice(from, close)).replaceAll('""', '"');
    this.#cells.push(text === '' ? EMPTY_TEXT : text);
    this.#open = undefined;
    let next = close + 1;
    while (next < end && line[next] === ' ') next += 1;
    if (next < end && line[next] !== delimiter) {
      this.#error = `expected '${delimiter}' after the closing quote, found '${line[next]}'; inside quotes, write a quote twice`;
      return end + 1;
    }
    return next + 1;
  }

  #unclosedQuote(): UnreadableFile {
    return new UnreadableFile(
      `Line ${this.#rowStart}: a quote is opened but never closed. Inside quotes, write a quote twice.`,
    );
  }
}

/** Whether a line has nothing but empty cells, as spreadsheets write rows that are empty. */
function isBlank(line: string, end: number, delimiter: string | undefined): boolean {
  if (end === 0) return true;
  const [first = ''] = line;
  const isOfDelimiters = delimiter === undefined ? DELIMITERS.some((known) => known === first) : first === delimiter;
  return isOfDelimiters && line.slice(0, end).replaceAll(first, '') === '';
}

function delimiterOf(header: string): Delimiter {
  const unquoted = header.replaceAll(/"[^"]*"/g, '');
  const count = (delimiter: string) => unquoted.split(delimiter).length;
  return DELIMITERS.reduce<Delimiter>((best, candidate) => (count(candidate) > count(best) ? candidate : best), ',');
}
