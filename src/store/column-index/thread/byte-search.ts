/** Finds bytes in others, both in UTF-8. Its time never grows with the product of their lengths, as that of `Buffer.indexOf` does for some texts. */

import { ByteMatcher, MATCHER_POSITIONS, MAX_MATCHED_BYTES } from './wasm/byte-matcher.ts';

const matcher = new ByteMatcher();

/** Calls `visit` with the position of each match, which returns where to continue. */
export function forEachMatch(text: Buffer, wanted: Buffer, visit: (match: number) => number): void {
  if (wanted.length > MAX_MATCHED_BYTES) {
    knuthMorrisPratt(text, wanted, (end) => visit(end - wanted.length + 1));
    return;
  }
  let next = 0;
  for (let start = 0; start < text.length; start += MATCHER_POSITIONS)
    for (const position of matcher.match(text.subarray(start), wanted))
      if (start + position >= next) next = visit(start + position);
}

/** The same, as if some bytes were not there. `visit` gets the position of the last byte of a match. */
export function forEachMatchBeyond(
  ignored: readonly number[],
  text: Buffer,
  wanted: Buffer,
  visit: (match: number) => number,
): void {
  const isIgnored = new Uint8Array(256);
  for (const byte of ignored) isIgnored[byte] = 1;
  knuthMorrisPratt(text, wanted, visit, isIgnored);
}

function knuthMorrisPratt(
  text: Buffer,
  wanted: Buffer,
  visit: (end: number) => number,
  isIgnored = new Uint8Array(256),
): void {
  const borders = bordersOf(wanted);
  let matched = 0;
  for (let at = 0, { length } = text; at < length; at += 1) {
    if (isIgnored[text[at] ?? 0] === 1) continue;
    while (matched > 0 && text[at] !== wanted[matched]) matched = borders[matched - 1] ?? 0;
    if (text[at] === wanted[matched]) matched += 1;
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
