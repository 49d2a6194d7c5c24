/** The rows of a file of text, as a parser finds them. */

import type { Decisions } from './decisions.ts';
import { fileText } from './file-text.ts';
import type { FileFacts, FileInput, RawRow, RowParser } from './format.ts';

/** How much text is parsed at a time, in characters. That takes about a millisecond. */
const SLICE = 16 * 1024;

export async function* textRows<Cell>(
  parser: RowParser<Cell>,
  { bytes, cost, ...options }: FileInput,
  { encoding }: Decisions,
  facts: FileFacts,
): AsyncIterable<Iterable<RawRow<Cell>>> {
  const text = fileText(bytes, { ...options, encoding }, (found) => {
    facts.encoding = found;
  });
  for await (const chunk of text) {
    cost?.unpacked(chunk.length);
    for (let from = 0; from < chunk.length; from += SLICE) yield parser.feed(chunk.slice(from, from + SLICE));
  }
  yield parser.end();
}
