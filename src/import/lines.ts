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
    const [first = '', ...others] = (this.#half + (isHalf ? text.slice(0, -1) : text)).split(this.#ending);
    this.#half = isHalf ? '\r' : '';
    this.#add(first);
    const last = others.pop();
    // What is split ends where it was split. Without, the only piece may end a line.
    const lines = last === undefined ? [] : [this.#take(), ...others];
    if (last !== undefined) this.#add(last);
    if (this.#isComplete(last ?? first)) lines.push(this.#take());
    this.#lines += lines.length;
    return lines;
  }

  /** The last line, if it has no line break. */
  end(): readonly string[] {
    this.#add(this.#half);
    return this.#length === 0 ? [] : [this.#take()];
  }

  #isComplete(piece: string): boolean {
    return piece.endsWith('\n') || (piece.endsWith('\r') && this.#ending === ANY_ENDING);
  }

  #add(piece: string): void {
    if (piece === '') return;
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length > MAX_LINE_LENGTH + (piece.endsWith('\n') ? 1 : 0)) {
      throw new UnreadableFile(
        `Line ${this.#lines + 1} has more than ${MAX_LINE_LENGTH} characters, too many for a row.`,
      );
    }
  }

  #take(): string {
    const line = this.#pieces.join('');
    this.#pieces = [];
    this.#length = 0;
    return line;
  }
}
