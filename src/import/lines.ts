/** Text that comes piece by piece, cut into lines. */

import { UnreadableFile } from './format.ts';

/** The longest line, in characters: a row is far shorter. */
export const MAX_LINE_LENGTH = 1024 * 1024;

export class LineCutter {
  /** The pieces of a line whose end is still to come. */
  #pieces: string[] = [];
  #length = 0;
  #lines = 0;

  /** The lines that are whole by now, without the LF that ends them. */
  feed(text: string): readonly string[] {
    const [first = '', ...others] = text.split('\n');
    this.#add(first);
    if (others.length === 0) return [];
    const lines = [this.#take(), ...others.slice(0, -1)];
    this.#lines += lines.length;
    this.#add(others.at(-1) ?? '');
    return lines;
  }

  /** The last line, where no line break follows it. */
  end(): readonly string[] {
    return this.#length === 0 ? [] : [this.#take()];
  }

  #add(piece: string): void {
    if (piece === '') return;
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length > MAX_LINE_LENGTH) {
      throw new UnreadableFile(`Line ${this.#lines + 1} has more than ${MAX_LINE_LENGTH} characters, which is no row.`);
    }
  }

  #take(): string {
    const line = this.#pieces.join('');
    this.#pieces = [];
    this.#length = 0;
    return line;
  }
}
