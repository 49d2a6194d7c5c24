/** Which pages of a sorted list the index in memory can find. */

/** Those that lie within this many records of either end of the list. In the order of ids, it finds any page. */
export const MAX_SORTED = 2_000;

/** How many rows have to be sorted to find a page: all up to its end, or, from the other end, all up to its start. */
export function sortedRows(offset: number, limit: number, total: number): number {
  return Math.min(offset + limit, Math.max(0, total - offset));
}
