/** Counts a statement that is finished, in memory that threads may share. */
export function countFinished(finished: Int32Array | undefined): void {
  if (finished !== undefined) Atomics.add(finished, 0, 1);
}
