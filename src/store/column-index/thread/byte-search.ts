/**
 * Finds bytes in others. `Buffer.indexOf` is fast, but for some texts its time grows with the product of both lengths: 300 ms
 * for a megabyte. So it searches part by part, and if a part takes long, an algorithm takes over that never does.
 */

/** How many bytes are searched at once, and how long that may take, in milliseconds: far longer than usual. */
const PART_BYTES = 64 * 1024;
const MAX_PART_TIME = 5;

/** Calls `visit` with the position of each match, which returns where to continue. */
export function forEachMatch(bytes: Buffer, wanted: Buffer, visit: (match: number) => number): void {
  let start = 0;
  while (start <= bytes.length - wanted.length) {
    const part = bytes.subarray(start, start + PART_BYTES + wanted.length - 1);
    const began = performance.now();
    let at = 0;
    for (let found = part.indexOf(wanted); found >= 0 && at < PART_BYTES; found = part.indexOf(wanted, at))
      at = visit(start + found) - start;
    start += Math.max(at, PART_BYTES);
    if (performance.now() - began > MAX_PART_TIME) {
      knuthMorrisPratt(bytes, wanted, start, visit);
      return;
    }
  }
}

function knuthMorrisPratt(bytes: Buffer, wanted: Buffer, from: number, visit: (match: number) => number): void {
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = from; at < bytes.length; at += 1) {
    while (matched > 0 && bytes[at] !== wanted[matched]) matched = borders[matched - 1] ?? 0;
    if (bytes[at] === wanted[matched]) matched += 1;
    if (matched === wanted.length) {
      at = visit(at - matched + 1) - 1;
      matched = 0;
    }
  }
}

/** For each prefix, the length of the longest shorter prefix with which it ends. */
function bordersOf(wanted: Buffer): Uint32Array {
  const borders = new Uint32Array(wanted.length);
  let length = 0;
  for (let at = 1; at < wanted.length; at += 1) {
    while (length > 0 && wanted[at] !== wanted[length]) length = borders[length - 1] ?? 0;
    if (wanted[at] === wanted[length]) length += 1;
    borders[at] = length;
  }
  return borders;
}
