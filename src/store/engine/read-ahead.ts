/** Requests the next chunk of a stream while the previous one is being sent: one ahead, never more. */

export function readAhead<Chunk>(read: () => Promise<Chunk | undefined>): () => Promise<Chunk | undefined> {
  let ahead: Promise<Chunk | undefined> | undefined;
  return async () => {
    const chunk = await (ahead ?? read());
    ahead = chunk === undefined ? undefined : read();
    // An error is reported to the next caller. If there is none, it does not matter.
    ahead?.catch(() => undefined);
    return chunk;
  };
}
