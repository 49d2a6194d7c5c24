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

/**
 * What is remembered at most: characters of all texts, from each piece on. Where there are more, all are forgotten, and come
 * again as they are used. It takes less memory than that: a text shares its beginning with those that go on from it.
 */
const MAX_CHARACTERS = 32 * 1024 * 1024;

export class Shapes {
  #first = shape('');
  #characters = 0;

  begin(): Shape {
    if (this.#characters > MAX_CHARACTERS) {
      this.#first = shape('');
      this.#characters = 0;
    }
    return this.#first;
  }

  after({ text, next }: Shape, piece: string): Shape {
    const known = next.get(piece);
    if (known !== undefined) return known;
    const longer = shape(text + piece);
    next.set(piece, longer);
    this.#characters += longer.text.length;
    return longer;
  }
}

function shape(text: string): Shape {
  return { text, next: new Map() };
}
