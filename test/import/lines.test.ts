/** Lines of text, whatever ends them and however it arrives. */

import { describe, expect, test } from 'vitest';
import { UnreadableFile } from '../../src/import/format.ts';
import { ANY_ENDING, LineSplitter, MAX_LINE_LENGTH } from '../../src/import/lines.ts';

const LONGEST = 'x'.repeat(MAX_LINE_LENGTH);

/** The lengths of the lines, of a text that arrives in pieces of this size. */
function lengthsOf(text: string, size: number, ending?: RegExp): readonly number[] {
  const splitter = new LineSplitter(ending);
  const lines: string[] = [];
  for (let at = 0; at < text.length; at += size) lines.push(...splitter.feed(text.slice(at, at + size)));
  return [...lines, ...splitter.end()].map((line) => line.length);
}

describe.each([MAX_LINE_LENGTH * 3, 65_536, 65_535, 1_001])('in pieces of %i characters', (size) => {
  test.each(['\n', '\r\n', '\r'])('the longest line may end with %j', (end) => {
    const text = `a${end}${LONGEST}${end}b${end}`;
    expect(lengthsOf(text, size, ANY_ENDING)).toEqual([1, MAX_LINE_LENGTH, 1].map((length) => length + end.length));
  });

  test.each(['', '\n', '\r\n', '\r'])('a longer one that ends with %j is an error with its number', (end) => {
    expect(() => lengthsOf(`a\nb\n${LONGEST}x${end}`, size, ANY_ENDING)).toThrow(
      new UnreadableFile('Line 3 has more than 1048576 characters, too many for a row.'),
    );
    expect(() => lengthsOf(`a\nb\n${LONGEST}x${end}${end}c\n`, size, ANY_ENDING)).toThrow('Line 3 has more than');
  });

  test('the longest line may be the last, without an ending', () => {
    expect(lengthsOf(`a\n${LONGEST}`, size, ANY_ENDING)).toEqual([2, MAX_LINE_LENGTH]);
  });

  test('a CR ends no line of JSON', () => {
    expect(lengthsOf(`{\r}\r\n${LONGEST}\r\n[]\r`, size)).toEqual([5, MAX_LINE_LENGTH + 2, 3]);
  });
});
