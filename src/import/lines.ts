/** Splits text that arrives in chunks into lines, which keep what ends them. */

import { UnreadableFile } from './format.ts';

/** The longest line in characters. A row is far shorter. */
export const MAX_LINE_LENGTH = 1024 * 1024;

/** After LF, and after CR unless LF follows: what ends a line in files of all systems. */
export const ANY_ENDING = /(?<=\n|\r(?!\n))/;

/** In JSON, CR is a space. */
const LF = /(?<=\n)/;

export class LineSplitter {
  readonly #ending: RegExp;
  /** The pieces of an incomplete line. */
  #pieces: string[] = [];
  #length = 0;
  #lines = 0;
  /** A CR at the end of a chunk, which may be the first half of CR LF. */
  #half = '';

  constructor(ending = LF) {
    this.#ending = ending;
  }

  /** The lines that are complete. */
  feed(text: string): readonly string[] {
    const isHalf = text.endsWith('\r');
    const pieces = (this.#half + (isHalf ? text.slice(0, -1) : text)).split(this.#ending);
    this.#half = isHalf ? '\r' : '';
    const lines: string[] = [];
    for (const piece of pieces) if (this.#add(piece)) lines.push(this.#take());
    return lines;
  }

  /** The last line, if it has no line break. */
  end(): readonly string[] {
    this.#add(this.#half);
    return this.#length === 0 ? [] : [this.#take()];
  }

  /** Whether the line is complete. */
  #add(piece: string): boolean {
    if (piece === '') return false;
    this.#pieces.push(piece);
    this.#length += piece.length;
    const ending = piece.length - endOf(piece);
    if (this.#length - ending > MAX_LINE_LENGTH) {
      throw new UnreadableFile(
        `Line ${this.#lines + 1} has more than ${MAX_LINE_LENGTH} characters, too many for a row.`,
      );
    }
    return piece.endsWith('\n') || (ending > 0 && this.#ending === ANY_ENDING);
  }

  #take(): string {
    const line = this.#pieces.length === 1 ? (this.#pieces[0] ?? '') : this.#pieces.join('');
    this.#pieces = [];
    this.#length = 0;
    this.#lines += 1;
    return line;
  }
}

/** Where what ends a line begins. */
export function endOf(line: string): number {
  if (line.endsWith('\r\n')) return line.length - 2;
  return line.endsWith('\n') || line.endsWith('\r') ? line.length - 1 : line.length;
}
