/** NDJSON: one JSON object per line; empty lines are skipped. */

import type { Format, RawRow, RowParser } from './format.ts';
import { isEmptyJson, isOdooRows, jsonFlag, jsonRow, jsonText, jsonValue, printJson } from './json-row.ts';
import { LineSplitter } from './lines.ts';
import { textRows } from './text-rows.ts';

export const ndjson: Format<unknown> = {
  name: 'ndjson',
  extensions: ['.ndjson', '.jsonl'],
  mediaTypes: ['application/x-ndjson', 'application/jsonl'],
  isCompressed: false,
  unit: 'line',
  hasHeader: false,
  rows: (input, decisions, facts) => textRows(new NdjsonParser(), input, decisions, facts),
  value: jsonValue,
  flag: jsonFlag,
  isEmpty: isEmptyJson,
  words: () => undefined,
  isOdoo: isOdooRows,
  print: printJson,
  text: jsonText,
  rowsType: 'application/x-ndjson',
  frame: { before: () => '', between: '\n', after: '\n' },
};

export class NdjsonParser implements RowParser<unknown> {
  readonly #splitter = new LineSplitter();
  #line = 0;

  feed(text: string): Iterable<RawRow<unknown>> {
    return this.#rows(this.#splitter.feed(text));
  }

  end(): Iterable<RawRow<unknown>> {
    return this.#rows(this.#splitter.end());
  }

  *#rows(lines: readonly string[]): Iterable<RawRow<unknown>> {
    for (const content of lines) {
      this.#line += 1;
      if (content.trim() !== '') yield jsonRow(content.trim(), this.#line);
    }
  }
}
