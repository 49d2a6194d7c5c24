/** Changes bytes at random: what a fuzzer does to something valid. */

import type { Random } from './random.ts';

/** Up to three changes. The marks are texts with a meaning in the format. */
export function mutated(random: Random, original: Uint8Array, marks: readonly string[]): Buffer {
  let bytes = Buffer.from(original);
  for (let changes = 1 + random.below(3); changes > 0; changes -= 1) {
    const at = random.below(bytes.length);
    const until = Math.min(bytes.length, at + 1 + random.below(20));
    const [before, range, after] = [bytes.subarray(0, at), bytes.subarray(at, until), bytes.subarray(until)];
    const kinds = [
      () => [before, random.bytes(1), bytes.subarray(at + 1)],
      () => [before, random.bytes(1 + random.below(4)), bytes.subarray(at)],
      () => [before, after],
      () => [before, range, range, after],
      () => [before],
      () => [before, Buffer.from(random.pick(marks)), bytes.subarray(at)],
    ];
    bytes = Buffer.concat(random.pick(kinds)());
  }
  return bytes;
}
