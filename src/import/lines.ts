/** Text that comes piece by piece, cut into lines. */

export class LineCutter {
  #rest = '';

  /** The lines that are whole by now, without the LF that ends them. */
  feed(text: string): readonly string[] {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines;
  }

  /** The last line, where no line break follows it. */
  end(): readonly string[] {
    const rest = this.#rest;
    this.#rest = '';
    return rest === '' ? [] : [rest];
  }
}
