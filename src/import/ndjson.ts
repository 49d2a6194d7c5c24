/** NDJSON: one JSON object per line; empty lines are skipped. */

import type { Format, RawRow, RowParser } from './format.ts';
import { jsonFlag, jsonRow, jsonText, jsonValue, printJson } from './json-row.ts';
import { LineSplitter } from './lines.ts';

export const ndjson: Format<unknown> = {
  name: 'ndjson',
  extensions: ['.ndjson', '.jsonl'],
  mediaTypes: ['application/x-ndjson', 'application/jsonl'],
  unit: 'line',
  parser: () => new NdjsonParser(),
  value: jsonValue,
  flag: jsonFlag,
  print: printJson,
  text: jsonText,
  frame: { before: () => '', between: '\n', after: '\n' },
};

class NdjsonParser implements RowParser<unknown> {
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
