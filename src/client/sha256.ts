/**
 * SHA-256 (FIPS 180-4), part by part. `crypto.subtle` needs everything at once, which for a copy of a million records is
 * hundreds of megabytes, and browsers have it on secure pages only.
 */

/** In bytes, and the number of rounds. */
const BLOCK = 64;

/** The fractional parts of the cube roots of the first 64 primes, and of the square roots of the first 8. */
const primes: number[] = [];
for (let n = 2; primes.length < BLOCK; n += 1) if (primes.every((prime) => n % prime !== 0)) primes.push(n);
const ROUNDS = Int32Array.from(primes, (prime) => Math.cbrt(prime) * 2 ** 32);
const INITIAL = Int32Array.from(primes.slice(0, 8), (prime) => Math.sqrt(prime) * 2 ** 32);

export class Sha256 {
  readonly #state = INITIAL.slice();
  /** A block that is being filled, then expanded to a word per round. */
  readonly #bytes = new Uint8Array(4 * BLOCK);
  readonly #block = new DataView(this.#bytes.buffer);
  #length = 0;

  update(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const filled = this.#length % BLOCK;
      const part = bytes.subarray(at, at + BLOCK - filled);
      this.#bytes.set(part, filled);
      at += part.length;
      this.#length += part.length;
      if (this.#length % BLOCK === 0) compress(this.#state, this.#block);
    }
  }

  /** In hexadecimal. Nothing can be added afterwards. */
  digest(): string {
    const bits = this.#length * 8;
    // A 1, then as many 0s as it takes for the length, which has 8 bytes, to end a block.
    this.update(Uint8Array.of(0x80));
    this.update(new Uint8Array((2 * BLOCK - 8 - (this.#length % BLOCK)) % BLOCK));
    this.#block.setUint32(BLOCK - 8, bits / 2 ** 32);
    this.#block.setUint32(BLOCK - 4, bits);
    compress(this.#state, this.#block);
    return Array.from(this.#state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  }
}

function compress(state: Int32Array, block: DataView): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let round = 0; round < BLOCK; round += 1) {
    const word = round < 16 ? block.getInt32(4 * round) : expand(block, round);
    const choice = (e & f) ^ (~e & g);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const first = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choice + (ROUNDS[round] ?? 0) + word) | 0;
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + majority) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  const [a0 = 0, b0 = 0, c0 = 0, d0 = 0, e0 = 0, f0 = 0, g0 = 0, h0 = 0] = state;
  state.set([a0 + a, b0 + b, c0 + c, d0 + d, e0 + e, f0 + f, g0 + g, h0 + h]);
}

/** The word of a round after the first 16, from those before it. */
function expand(block: DataView, round: number): number {
  const old = block.getInt32(4 * (round - 15));
  const recent = block.getInt32(4 * (round - 2));
  const word =
    (block.getInt32(4 * (round - 16)) +
      (rotate(old, 7) ^ rotate(old, 18) ^ (old >>> 3)) +
      block.getInt32(4 * (round - 7)) +
      (rotate(recent, 17) ^ rotate(recent, 19) ^ (recent >>> 10))) |
    0;
  block.setInt32(4 * round, word);
  return word;
}

function rotate(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}
