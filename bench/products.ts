/**
 * Generates the products that every contender stores, as CSV. A fixed seed gives the same rows on every machine.
 *
 *     7,Standard Oak Bookcase velmiro,SKU-0000007,482.15,311,true,12,7,,2024-01-01T00:07:00.000Z,2024-01-01T00:07:00.000Z
 */

import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Increment when the generated rows change, so that existing databases are rebuilt. */
export const PRODUCTS_VERSION = 1;

export const COLUMNS =
  'id,name,default_code,list_price,qty_available,active,categ_id,product_tmpl_id,is_rsd_product,create_date,write_date';

/** Every name starts with one of these 33, so each is in 3 % of the names. */
const ADJECTIVES =
  'Standard Portable Ergonomic Waterproof Adjustable Foldable Industrial Lightweight Stackable Reinforced Transparent Magnetic Wireless Insulated Commercial Decorative Traditional Economical Professional Residential Washable Expandable Breathable Anodized Polished Laminated Galvanized Tempered Upholstered Rechargeable Collapsible Varnished Removable'.split(
    ' ',
  );
const MATERIALS = 'Oak Steel Glass Cotton Bamboo Marble Rubber Copper Linen Walnut Ceramic Nylon Leather Granite'.split(
  ' ',
);
const THINGS =
  'Table Chair Lamp Shelf Bookcase Cabinet Drawer Basket Mirror Curtain Pillow Hammer Ladder Bottle Bucket Carpet'.split(
    ' ',
  );

/** How many names contain the same rare word, on average. */
const NAMES_PER_RARE_WORD = 20;

export function rareWordCount(rows: number): number {
  return Math.max(1, Math.floor(rows / NAMES_PER_RARE_WORD));
}

/** A word of seven letters, distinct for every index below 2^22, that no other word contains. */
export function rareWord(index: number): string {
  // An odd factor is coprime to 2^22, so every word comes once before any repeats.
  let left = (index * 2_654_435 + 12_345) % 2 ** 22;
  let word = '';
  for (const letters of [
    'bdfghjklmnprstvz',
    'aeiu',
    'bdfghjklmnprstvz',
    'aeou',
    'bdfghjklmnprstvz',
    'aiou',
    'bdgklmnprstvwxyz',
  ]) {
    word += letters[left % letters.length];
    left = Math.floor(left / letters.length);
  }
  return word;
}

/** Texts of at least five letters, each in 3 % of the names: the substrings that occur in only one adjective. */
export const frequentTexts: readonly string[] = ADJECTIVES.map((word) => word.toLowerCase()).flatMap((word, _, all) =>
  [...Array(word.length - 4).keys()]
    .flatMap((from) => [...Array(word.length - 4 - from).keys()].map((more) => word.slice(from, from + 5 + more)))
    .filter((text) => all.every((other) => other === word || !other.includes(text))),
);

/** Two words, each in 6 or 7 % of the names, and both in one of 224. */
export const wordPairs: readonly string[] = MATERIALS.flatMap((material) =>
  THINGS.map((thing) => `${material} ${thing}`.toLowerCase()),
);

/** Texts of three or four letters, each in about a tenth of the names. */
export const veryFrequentTexts: readonly string[] = [
  ...new Set(
    [...ADJECTIVES, ...MATERIALS, ...THINGS].flatMap((word) =>
      [3, 4].flatMap((length) =>
        [...Array(Math.max(0, word.length - length + 1)).keys()].map((at) => word.slice(at, at + length).toLowerCase()),
      ),
    ),
  ),
].filter((text) => {
  const share = (words: readonly string[]) =>
    words.filter((word) => word.toLowerCase().includes(text)).length / words.length;
  const found = 1 - [ADJECTIVES, MATERIALS, THINGS].reduce((missing, words) => missing * (1 - share(words)), 1);
  return found >= 0.08 && found <= 0.16;
});

export function defaultCode(id: number): string {
  return `SKU-${String(id).padStart(7, '0')}`;
}

export async function writeProducts(file: string, rows: number): Promise<void> {
  await pipeline(Readable.from(chunks(rows)), createWriteStream(`${file}.part`));
  await rename(`${file}.part`, file);
}

function* chunks(rows: number): Iterable<string> {
  const random = generator(20_260_101);
  let chunk = `${COLUMNS}\n`;
  for (let id = 1; id <= rows; id += 1) {
    chunk += product(id, rows, random);
    if (chunk.length > 65_536 || id === rows) {
      yield chunk;
      chunk = '';
    }
  }
}

function product(id: number, rows: number, random: () => number): string {
  const below = (limit: number) => Math.floor(random() * limit);
  const name = [
    ADJECTIVES[below(ADJECTIVES.length)],
    MATERIALS[below(MATERIALS.length)],
    THINGS[below(THINGS.length)],
    rareWord(below(rareWordCount(rows))),
  ].join(' ');
  const price = (below(100_001) / 100).toFixed(2);
  const isRsd = ['', 'true', 'false'][below(3)];
  const date = new Date(Date.UTC(2024, 0, 1) + id * 60_000).toISOString();
  const active = below(10) > 0;
  return `${id},${name},${defaultCode(id)},${price},${below(1001)},${active},${1 + below(50)},${id},${isRsd},${date},${date}\n`;
}

/** Mulberry32, a seeded pseudorandom number generator; its numbers lie in [0, 1). */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
