/** Splits text that arrives in chunks into lines. */

import { UnreadableFile } from './format.ts';

/** The longest line in characters. A row is far shorter. */
export const MAX_LINE_LENGTH = 1024 * 1024;

export class LineSplitter {
  /** The pieces of an incomplete line. */
  #pieces: string[] = [];
  #length = 0;
  #lines = 0;

  /** The lines that are complete, without their LF. */
  feed(text: string): readonly string[] {
    const [first = '', ...others] = text.split('\n');
    this.#add(first);
    if (others.length === 0) return [];
    const lines = [this.#take(), ...others.slice(0, -1)];
    this.#lines += lines.length;
    this.#add(others.at(-1) ?? '');
    return lines;
  }

  /** The last line, if it has no line break. */
  end(): readonly string[] {
    return this.#length === 0 ? [] : [this.#take()];
  }

  #add(piece: string): void {
    if (piece === '') return;
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length > MAX_LINE_LENGTH) {
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
