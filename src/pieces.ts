/** A text in UTF-8 that may be large. Piece by piece, it can be read and sent without delaying others. */
export type Pieces = readonly Uint8Array[];

/** The size of a text in UTF-8. */
export function byteLength(text: string | Pieces): number {
  return typeof text === 'string' ? Buffer.byteLength(text) : text.reduce((sum, piece) => sum + piece.byteLength, 0);
}
