/** Asks for the next piece of a stream while the one before is on its way: one ahead, never more. */

export function readAhead<Piece>(read: () => Promise<Piece | undefined>): () => Promise<Piece | undefined> {
  let ahead: Promise<Piece | undefined> | undefined;
  return async () => {
    const piece = await (ahead ?? read());
    ahead = piece === undefined ? undefined : read();
    // Whoever asks for it hears of its failure; whoever never does need not.
    ahead?.catch(() => undefined);
    return piece;
  };
}
