/**
 * A trie of statement texts. A statement of a known shape is not concatenated again: walking its pieces leads to the very
 * same string as before, which engines look up among their prepared statements without hashing it.
 */

/** A statement up to some piece. */
export interface TextNode {
  readonly text: string;
  /** By the piece that follows. */
  readonly next: Map<string, TextNode>;
}

/**
 * The limit for the characters of all nodes' texts. If it is exceeded, the trie starts over. The memory it takes is smaller,
 * because a text shares its beginning with the texts that continue it.
 */
const MAX_CHARACTERS = 32 * 1024 * 1024;

export class StatementTexts {
  readonly #maxCharacters: number;
  #root = node('');
  #characters = 0;

  constructor(maxCharacters: number = MAX_CHARACTERS) {
    this.#maxCharacters = maxCharacters;
  }

  get characters(): number {
    return this.#characters;
  }

  start(): TextNode {
    if (this.#characters > this.#maxCharacters) {
      this.#root = node('');
      this.#characters = 0;
    }
    return this.#root;
  }

  after({ text, next }: TextNode, piece: string): TextNode {
    const known = next.get(piece);
    if (known !== undefined) return known;
    const longer = node(text + piece);
    next.set(piece, longer);
    this.#characters += longer.text.length;
    return longer;
  }
}

function node(text: string): TextNode {
  return { text, next: new Map() };
}
