/** Long computations go through the rows in chunks, so that others get their turn in between. */

/** A chunk takes milliseconds, and rarely a tenth of a second. */
const CHUNK_ROWS = 50_000;

/** Calls `visit` with one range of rows after another, and yields in between. */
export function* inChunks(rows: number, visit: (from: number, to: number) => void): Generator<void, void> {
  for (let from = 0; from < rows; from += CHUNK_ROWS) {
    visit(from, Math.min(rows, from + CHUNK_ROWS));
    yield;
  }
}
