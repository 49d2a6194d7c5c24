/**
 * Finds bytes in others. `Buffer.indexOf` is fast, but for some texts its time grows with the product of both lengths: 300 ms
 * for a megabyte. So it searches part by part, and if a part takes long, an algorithm takes over that never does.
 */

/** How many bytes are searched at once, and how long that may take, in milliseconds: twenty times as long as usual. */
const PART_BYTES = 64 * 1024;
const MAX_PART_TIME = 1;

/** -1 if there is no match at or after `from`. */
export function indexOf(bytes: Buffer, wanted: Buffer, from: number): number {
  for (let start = from; start <= bytes.length - wanted.length; start += PART_BYTES) {
    const part = bytes.subarray(start, start + PART_BYTES + wanted.length - 1);
    const began = performance.now();
    const found = part.indexOf(wanted);
    if (found >= 0) return start + found;
    if (performance.now() - began > MAX_PART_TIME) return knuthMorrisPratt(bytes, wanted, start + PART_BYTES);
  }
  return -1;
}

function knuthMorrisPratt(bytes: Buffer, wanted: Buffer, from: number): number {
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = from; at < bytes.length; at += 1) {
    while (matched > 0 && bytes[at] !== wanted[matched]) matched = borders[matched - 1] ?? 0;
    if (bytes[at] === wanted[matched]) matched += 1;
    if (matched === wanted.length) return at - matched + 1;
  }
  return -1;
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
