/**
 * A JSON array of objects, one element at a time: this finds where elements start and end, so that a file of any size can
 * be read. What an element contains is left to JSON.parse.
 */

import { type Format, type RawRow, type RowParser, UnreadableFile } from './format.ts';
import { isEmptyJson, isOdooRows, jsonFlag, jsonRow, jsonText, jsonValue, printJson } from './json-row.ts';
import { MAX_LINE_LENGTH } from './lines.ts';
import { textRows } from './text-rows.ts';

export const json: Format<unknown> = {
  name: 'json',
  extensions: ['.json'],
  mediaTypes: ['application/json'],
  isCompressed: false,
  unit: 'element',
  hasHeader: false,
  rows: (input, decisions, facts) => textRows(new JsonArrayParser(), input, decisions, facts),
  value: jsonValue,
  flag: jsonFlag,
  isEmpty: isEmptyJson,
  words: () => undefined,
  isOdoo: isOdooRows,
  print: printJson,
  text: jsonText,
  rowsType: 'application/json',
  frame: { before: () => '[\n', between: ',\n', after: '\n]\n' },
};

/** A page of a list or of changes is an array as well: its members that follow the data are ignored. */
const PAGE_START = '{"data":[';

/** How much may follow the data, in UTF-16 units. What the API writes there is far shorter. */
const MAX_REST = 64 * 1024;

export class JsonArrayParser implements RowParser<unknown> {
  #place: 'before the array' | 'in the array' | 'after the array' = 'before the array';
  #line = 1;
  /** What comes before the array, and whether that is the start of a page. */
  #start = '';
  #isPage = false;
  /** What comes after the data of a page. */
  #rest = '';
  /** The current element so far, and its number. */
  #element = '';
  #elements = 0;
  /** How many brackets and braces of the element are open. */
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** Whether the last token was a comma. */
  #afterComma = false;

  *feed(text: string): Iterable<RawRow<unknown>> {
    for (const character of text) {
      if (character === '\n') this.#line += 1;
      if (this.#isPage && this.#place === 'after the array') this.#addRest(character);
      else if (this.#depth > 0 || this.#inString) this.#follow(character);
      else if (character.trim() === '') this.#element += this.#element === '' ? '' : character;
      else if (this.#place === 'in the array' && character !== ',' && character !== ']') this.#begin(character);
      else yield* this.#separate(character);
    }
  }

  end(): Iterable<RawRow<unknown>> {
    if (this.#place !== 'after the array')
      throw new UnreadableFile(`Line ${this.#line} is the last one, and inside the array: a ] is missing.`);
    if (this.#isPage && jsonRow(`${PAGE_START}]${this.#rest}`, 0).kind === 'error') this.#refuseRest();
    return [];
  }

  #addRest(character: string): void {
    this.#rest += character;
    if (this.#rest.length > MAX_REST) this.#refuseRest();
  }

  #begin(character: string): void {
    if (this.#element === '') this.#elements += 1;
    this.#follow(character);
  }

  #follow(character: string): void {
    this.#element += character;
    if (this.#element.length > MAX_LINE_LENGTH) {
      throw new UnreadableFile(
        `Element ${this.#elements} has more than ${MAX_LINE_LENGTH} characters, too many for a row.`,
      );
    }
    if (this.#escaped) this.#escaped = false;
    else if (this.#inString && character === '\\') this.#escaped = true;
    else if (character === '"') this.#inString = !this.#inString;
    else if (this.#inString) return;
    else if (character === '{' || character === '[') this.#depth += 1;
    else if (character === '}' || character === ']') this.#depth -= 1;
  }

  #refuseRest(): never {
    throw new UnreadableFile(
      `Line ${this.#line}: after the data of a page, expected its other members, each of them once, and a }, in at most ${MAX_REST} characters.`,
    );
  }

  /** A bracket or comma of the array itself. */
  *#separate(character: string): Iterable<RawRow<unknown>> {
    if (this.#place === 'in the array') {
      if (this.#element !== '') yield jsonRow(this.#element.trimEnd(), this.#elements);
      else if (character === ',' || this.#afterComma)
        throw new UnreadableFile(`Line ${this.#line}: an element is missing before the ${character}.`);
      this.#element = '';
      this.#depth = 0;
      this.#afterComma = character === ',';
      if (character === ']') this.#place = 'after the array';
    } else if (this.#place === 'before the array' && PAGE_START.startsWith(this.#start + character)) {
      this.#start += character;
      this.#isPage ||= character === '{';
      if (character === '[') this.#place = 'in the array';
    } else if (this.#place === 'before the array' && this.#start === '' && character === '[') {
      this.#place = 'in the array';
    } else {
      throw new UnreadableFile(
        `Line ${this.#line}: unexpected ${this.#start.charAt(0) || character} ${this.#place}; expected one JSON array of objects.`,
      );
    }
  }
}
