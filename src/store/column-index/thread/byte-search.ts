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
      knuthMorrisPratt(bytes, wanted, start, (end) => visit(end - wanted.length + 1));
      return;
    }
  }
}

/** The same, as if some bytes were not there. `visit` gets the position of the last byte of a match. */
export function forEachMatchBeyond(
  ignored: readonly number[],
  bytes: Buffer,
  wanted: Buffer,
  visit: (match: number) => number,
): void {
  const isIgnored = new Uint8Array(256);
  for (const byte of ignored) isIgnored[byte] = 1;
  knuthMorrisPratt(bytes, wanted, 0, visit, isIgnored);
}

function knuthMorrisPratt(
  bytes: Buffer,
  wanted: Buffer,
  from: number,
  visit: (end: number) => number,
  isIgnored = new Uint8Array(256),
): void {
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = from; at < bytes.length; at += 1) {
    if (isIgnored[bytes[at] ?? 0] === 1) continue;
    while (matched > 0 && bytes[at] !== wanted[matched]) matched = borders[matched - 1] ?? 0;
    if (bytes[at] === wanted[matched]) matched += 1;
    if (matched === wanted.length) {
      at = visit(at) - 1;
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
