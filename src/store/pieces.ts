/** A text in UTF-8 that may be large. Piece by piece, it can be read and sent without delaying others. */
export type Pieces = readonly Uint8Array[];

/** The size of a text in UTF-8. */
export function byteLength(text: string | Pieces): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : text.reduce((sum, piece) => sum + piece.byteLength, 0);
}

/** Below this many characters, encoding a text takes less time than sending a body and its headers separately. */
const MIN_ENCODED = 16 * 1024;

/** For a text that is sent more than once: a large one is encoded here, and not every time it is sent. */
export function encoded(text: string | Pieces): string | Pieces {
  return typeof text === 'string' && text.length >= MIN_ENCODED ? [Buffer.from(text)] : text;
}
