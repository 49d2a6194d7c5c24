/** Sets of rows of a group, one bit for each row. */

/** The maximum number of rows of a group: a multiple of 32, so that bitmaps have no partial words, and at most 65,536. */
export const GROUP_ROWS = 8_192;

export const BITMAP_WORDS = GROUP_ROWS / 32;

/** Bits beyond the rows of the group are never set. */
export type Bitmap = Uint32Array;

export function emptyBitmap(): Bitmap {
  return new Uint32Array(BITMAP_WORDS);
}

/** The first rows of a group. */
export function firstRows(rows: number): Bitmap {
  const bitmap = emptyBitmap();
  bitmap.fill(0xffff_ffff, 0, rows >>> 5);
  if (rows % 32 > 0) bitmap[rows >>> 5] = 2 ** (rows % 32) - 1;
  return bitmap;
}

export function setBit(bitmap: Bitmap, row: number): void {
  bitmap[row >>> 5] = (bitmap[row >>> 5] ?? 0) | (1 << (row & 31));
}

export function clearBit(bitmap: Bitmap, row: number): void {
  bitmap[row >>> 5] = (bitmap[row >>> 5] ?? 0) & ~(1 << (row & 31));
}

export function hasBit(bitmap: Bitmap, row: number): boolean {
  return ((bitmap[row >>> 5] ?? 0) & (1 << (row & 31))) !== 0;
}

/** Keeps what the other has as well. */
export function intersect(bitmap: Bitmap, other: Bitmap): void {
  for (let word = 0; word < BITMAP_WORDS; word += 1) bitmap[word] = (bitmap[word] ?? 0) & (other[word] ?? 0);
}

/** Adds what the other has. */
export function unite(bitmap: Bitmap, other: Bitmap): void {
  for (let word = 0; word < BITMAP_WORDS; word += 1) bitmap[word] = (bitmap[word] ?? 0) | (other[word] ?? 0);
}

/** Removes what the other has. */
export function subtract(bitmap: Bitmap, other: Bitmap): void {
  for (let word = 0; word < BITMAP_WORDS; word += 1) bitmap[word] = (bitmap[word] ?? 0) & ~(other[word] ?? 0);
}

/** All rows of a group except these. */
export function complement(bitmap: Bitmap, rows: number): void {
  const all = firstRows(rows);
  subtract(all, bitmap);
  bitmap.set(all);
}

export function isEmpty(bitmap: Bitmap): boolean {
  return bitmap.every((word) => word === 0);
}

export function countBits(bitmap: Bitmap): number {
  let count = 0;
  for (let word = 0; word < BITMAP_WORDS; word += 1) count += bitsIn(bitmap[word] ?? 0);
  return count;
}

/** How many rows both sets have. */
export function countCommonBits(bitmap: Bitmap, other: Bitmap): number {
  let count = 0;
  for (let word = 0; word < BITMAP_WORDS; word += 1) count += bitsIn((bitmap[word] ?? 0) & (other[word] ?? 0));
  return count;
}

/** Adds up neighbouring bits, then pairs, then groups of four; the product adds up the bytes. */
export function bitsIn(word: number): number {
  const pairs = word - ((word >>> 1) & 0x5555_5555);
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

function lowestBit(bits: number): number {
  return 31 - Math.clz32(bits & -bits);
}

/** The rows of the set from the nth on, in ascending order: words before it are only counted. */
export function rowsFrom(bitmap: Bitmap, n: number, limit: number): readonly number[] {
  const rows: number[] = [];
  let skip = n;
  for (let word = 0; word < BITMAP_WORDS && rows.length < limit; word += 1) {
    let bits = bitmap[word] ?? 0;
    const count = bitsIn(bits);
    if (skip >= count) {
      skip -= count;
      continue;
    }
    for (; bits !== 0 && rows.length < limit; bits &= bits - 1) {
      if (skip === 0) rows.push(word * 32 + lowestBit(bits));
      else skip -= 1;
    }
  }
  return rows;
}
