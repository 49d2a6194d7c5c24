/** NDJSON: one JSON object a line; empty lines are passed over. */

import type { Format, RawRow, RowParser } from './format.ts';
import { jsonRow, jsonValue, printJson } from './json-row.ts';
import { LineCutter } from './lines.ts';

export const ndjson: Format<unknown> = {
  name: 'ndjson',
  endings: ['.ndjson', '.jsonl'],
  unit: 'line',
  parser: () => new NdjsonParser(),
  value: jsonValue,
  print: printJson,
  frame: { before: () => '', between: '\n', after: '\n' },
};

class NdjsonParser implements RowParser<unknown> {
  readonly #cutter = new LineCutter();
  #line = 0;

  feed(text: string): Iterable<RawRow<unknown>> {
    return this.#rows(this.#cutter.feed(text));
  }

  end(): Iterable<RawRow<unknown>> {
    return this.#rows(this.#cutter.end());
  }

  *#rows(lines: readonly string[]): Iterable<RawRow<unknown>> {
    for (const content of lines) {
      this.#line += 1;
      if (content.trim() !== '') yield jsonRow(content.trim(), this.#line);
    }
  }
}
