/** The name that was probably meant, for "did you mean". */

import { distance } from 'fastest-levenshtein';

export function nearest(written: string, names: readonly string[]): string | undefined {
  const wanted = written.toLowerCase();
  if (wanted === '' || wanted.length > MAX_LENGTH) return undefined;
  const candidates = names
    .map((name) => ({ name, distance: distance(wanted, name.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance);
  const closest = candidates[0];
  if (closest !== undefined && closest.distance <= allowedDistance(wanted)) return closest.name;
  // `price` for `list_price`
  return wanted.length >= 3 ? names.find((name) => name.includes(wanted)) : undefined;
}

/** No name is longer. Comparing takes time in proportion to both lengths, and a request may hold 32 KiB of text. */
const MAX_LENGTH = 64;

/** How many letters may differ; two swapped letters count as two. */
function allowedDistance(written: string): number {
  return written.length < 4 ? 1 : Math.max(2, Math.floor(written.length / 3));
}
