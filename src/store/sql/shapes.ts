/**
 * The texts of statements, found piece by piece. A statement of a shape that was seen before is not put together again:
 * its text is the very string that it was then, which engines find among their prepared statements without reading it.
 */

/** A statement up to some piece. */
export interface Shape {
  readonly text: string;
  /** By the piece that follows. */
  readonly next: Map<string, Shape>;
}

/** Pieces remembered at most. Where there are more, all are forgotten, and come again as they are used. */
const MAX_PIECES = 50_000;

export class Shapes {
  #first = shape('');
  #count = 0;

  begin(): Shape {
    if (this.#count > MAX_PIECES) {
      this.#first = shape('');
      this.#count = 0;
    }
    return this.#first;
  }

  after({ text, next }: Shape, piece: string): Shape {
    const known = next.get(piece);
    if (known !== undefined) return known;
    const longer = shape(text + piece);
    next.set(piece, longer);
    this.#count += 1;
    return longer;
  }
}

function shape(text: string): Shape {
  return { text, next: new Map() };
}
