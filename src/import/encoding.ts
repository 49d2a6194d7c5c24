/** Which characters the bytes of a text file stand for. A file says so by its byte order mark, or is UTF-8, or somebody has to decide. */

import { isUtf8 } from 'node:buffer';
import { quoted } from '../problem/quoted.ts';
import { type Question, Undecided } from './decisions.ts';
import { UnreadableFile } from './format.ts';

const UTF_8 = 'utf-8';

const MARKS = [
  { encoding: UTF_8, bytes: [0xef, 0xbb, 0xbf] },
  { encoding: 'utf-16le', bytes: [0xff, 0xfe] },
  { encoding: 'utf-16be', bytes: [0xfe, 0xff] },
] as const;

/** How many of the first bytes are needed to recognise an encoding. */
export const START_LENGTH = 4;

/** What spreadsheets write that don't write UTF-8. */
const CANDIDATES = ['windows-1252', 'windows-1250', 'macintosh', 'utf-16le'];

/** The name that the Encoding Standard has for it; undefined if it has none. */
export function encodingNamed(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

/** How much of a line is kept in case it turns out to be in another encoding, in bytes. */
const MAX_KEPT = 64 * 1024;

export class FileDecoder {
  readonly encoding: string;
  readonly #isGiven: boolean;
  readonly #decoder: InstanceType<typeof TextDecoder>;
  #lines = 1;
  /** The bytes of the last line so far, unless they are too many. */
  #kept = Buffer.alloc(0);

  /** `start` is the first bytes of the file. */
  constructor(start: Uint8Array, encoding: string | undefined) {
    const mark = MARKS.find(({ bytes }) => bytes.every((byte, index) => start[index] === byte));
    this.#isGiven = encoding !== undefined || mark !== undefined;
    this.encoding = encoding ?? mark?.encoding ?? UTF_8;
    this.#decoder = new TextDecoder(this.encoding, { fatal: true });
    if (!this.#isGiven && hasZeros(start)) throw new Undecided([withoutMark(start)]);
  }

  /** Without a chunk, whatever is left. */
  decode(chunk?: Uint8Array): string {
    try {
      const text = this.#decoder.decode(chunk, { stream: chunk !== undefined });
      for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#lines += 1;
      if (chunk !== undefined) this.#keep(chunk);
      return text;
    } catch {
      throw new Undecided([this.#question(Buffer.concat([this.#kept, chunk ?? new Uint8Array()]))]);
    }
  }

  #keep(chunk: Uint8Array): void {
    const end = chunk.lastIndexOf(LINE_FEED);
    const rest = chunk.subarray(end + 1);
    this.#kept = end < 0 ? Buffer.concat([this.#kept, rest]) : Buffer.from(rest);
    if (this.#kept.length > MAX_KEPT) this.#kept = this.#kept.subarray(-MAX_KEPT);
  }

  #question(bytes: Buffer): Question {
    let line = this.#lines;
    let from = 0;
    for (
      let to = bytes.indexOf(LINE_FEED);
      to >= 0 && isUtf8(bytes.subarray(from, to));
      to = bytes.indexOf(LINE_FEED, from)
    ) {
      from = to + 1;
      line += 1;
    }
    const end = bytes.indexOf(LINE_FEED, from);
    const cell = foreignCell(bytes.subarray(from, end < 0 ? bytes.length : end));
    if (CONTROL.test(cell.toString('latin1'))) throw new UnreadableFile(`Line ${line} is not text.`);
    const what = this.#isGiven ? `not ${this.encoding}, as it should be` : 'not UTF-8';
    return {
      option: 'encoding',
      question: `Line ${line} is ${what}. What does it say?`,
      choices: choices(cell, this.encoding),
    };
  }
}

const LINE_FEED = 0x0a;

/** What no encoding of text has, unless its characters have two bytes each. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it looks for
const CONTROL = /[\x00-\x08\x0e-\x1f]/;

/** ASCII has a zero in every second byte if it is encoded as UTF-16. */
function hasZeros([first, second, third, fourth]: Uint8Array): boolean {
  return (first === 0 && third === 0) || (second === 0 && fourth === 0);
}

function withoutMark(start: Uint8Array): Question {
  const encoding = start[0] === 0 ? 'utf-16be' : 'utf-16le';
  const sample = start.subarray(0, 80);
  return {
    option: 'encoding',
    question: 'The text contains zero bytes, as UTF-16 does. What does it say?',
    choices: [{ value: encoding, meaning: quoted(decoded(sample, encoding)) }],
  };
}

/** The first cell that is not UTF-8, as far as that can be seen without knowing the delimiter. */
function foreignCell(line: Buffer): Buffer {
  for (let from = 0; from < line.length; ) {
    let to = from;
    while (to < line.length && !DELIMITER_BYTES.has(line[to] ?? 0)) to += 1;
    const cell = line.subarray(from, to);
    if (!isUtf8(cell)) return cell.subarray(0, 200);
    from = to + 1;
  }
  return line.subarray(0, 200);
}

const DELIMITER_BYTES: ReadonlySet<number> = new Set(Buffer.from(',;\t|"\r'));

function choices(cell: Buffer, tried: string): Question['choices'] {
  const all = CANDIDATES.filter((encoding) => encoding !== tried).map((value) => ({
    value,
    text: decoded(cell, value),
  }));
  const plausible = all.filter(({ text }) => PLAUSIBLE.test(text));
  return (plausible.length > 0 ? plausible : all.slice(0, 1)).map(({ value, text }) => ({
    value,
    meaning: quoted(text),
  }));
}

const PLAUSIBLE = /^(?:[\x20-\x7e\r\n\t]|[\u00c0-\u024f\u1e00-\u1eff]|[€£¥§°²³µ½¼¾–—‘’“”„…«»©®™·¡¿ºª×ß ])+$/u;

function decoded(bytes: Uint8Array, encoding: string): string {
  return new TextDecoder(encoding).decode(bytes);
}
