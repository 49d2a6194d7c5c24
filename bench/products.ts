/**
 * The products that every contender holds, as CSV: the same rows from the same seed, whatever machine makes them.
 *
 *     7,Standard Oak Bookcase velmiro,SKU-0000007,482.15,311,true,12,7,,2024-01-01T00:07:00.000Z,2024-01-01T00:07:00.000Z
 */

import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Changes with the rows, so that databases made of other rows are made anew. */
export const PRODUCTS_VERSION = 1;

export const COLUMNS =
  'id,name,default_code,list_price,qty_available,active,categ_id,product_tmpl_id,is_rsd_product,create_date,write_date';

/** One of these opens each name: 33 of them, so that each is in 3 % of the names. */
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

/** How many names hold the same rare word. */
const NAMES_PER_RARE_WORD = 20;

export function rareWordCount(rows: number): number {
  return Math.max(1, Math.floor(rows / NAMES_PER_RARE_WORD));
}

/** Seven letters, another word for every index below 2^22, and no part of any other word. */
export function rareWord(index: number): string {
  // An odd factor goes round all 2^22 words before it repeats one.
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

/** Texts of five letters or more, each in 3 % of the names: the parts of adjectives that no other word has. */
export const frequentTexts: readonly string[] = ADJECTIVES.map((word) => word.toLowerCase()).flatMap((word, _, all) =>
  [...Array(word.length - 4).keys()]
    .flatMap((from) => [...Array(word.length - 4 - from).keys()].map((more) => word.slice(from, from + 5 + more)))
    .filter((text) => all.every((other) => other === word || !other.includes(text))),
);

export function defaultCode(id: number): string {
  return `SKU-${String(id).padStart(7, '0')}`;
}

export async function writeProducts(file: string, rows: number): Promise<void> {
  await pipeline(Readable.from(pieces(rows)), createWriteStream(`${file}.part`));
  await rename(`${file}.part`, file);
}

function* pieces(rows: number): Iterable<string> {
  const random = generator(20_260_101);
  let piece = `${COLUMNS}\n`;
  for (let id = 1; id <= rows; id += 1) {
    piece += product(id, rows, random);
    if (piece.length > 65_536 || id === rows) {
      yield piece;
      piece = '';
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

/** Mulberry32: numbers from 0 to 1 that follow from the seed alone. */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
