/** The name that was probably meant, for "did you mean". */

import { distance } from 'fastest-levenshtein';

export function nearest(written: string, names: readonly string[]): string | undefined {
  const wanted = written.toLowerCase();
  if (wanted.length > LONGEST) return undefined;
  const candidates = names
    .map((name) => ({ name, distance: distance(wanted, name.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance);
  const closest = candidates[0];
  if (closest !== undefined && closest.distance <= allowance(wanted)) return closest.name;
  // `price` for `list_price`
  return wanted.length >= 3 ? names.find((name) => name.includes(wanted)) : undefined;
}

/** No name is longer; comparing costs the product of the lengths, and what was written may have 32 KiB. */
const LONGEST = 64;

/** How many letters may be wrong: two swapped letters count as two. */
function allowance(written: string): number {
  return written.length < 4 ? 1 : Math.max(2, Math.floor(written.length / 3));
}
