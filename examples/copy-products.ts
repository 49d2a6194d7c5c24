/**
 * Keeps the products of one Stockbook in another one, such as those of the head office in the database of a branch.
 *
 *     node copy-products.ts https://office.example.com https://branch.example.com              brings the copy up to date
 *     node copy-products.ts https://office.example.com https://branch.example.com --follow     keeps it up to date
 *
 * The key in FROM_KEY may read products, and the one in TO_KEY edit them. How far the feed was copied is saved by the branch, together
 * with the products, so the process can be killed at any time, and a second one that runs by mistake changes nothing.
 */

import { Stockbook, StockbookError } from '@stockbook/client';

const [from = '', to = '', mode] = process.argv.slice(2);
const office = new Stockbook({ url: from, key: process.env['FROM_KEY'] });
const branch = new Stockbook({ url: to, key: process.env['TO_KEY'] });
const SOURCE = 'head office';

/** The cursor of the feed; null if nothing was copied yet. */
let position = (await branch.sources.get(SOURCE))?.position ?? null;

/** Replaces all products. */
async function copyAll(): Promise<void> {
  // Before the products, so that whatever is written meanwhile is among the changes.
  const { cursor } = await office.products.digest();
  const { created, updated, removed } = await branch.products.import(office.products.stream(), {
    replace: true,
    confirm: true,
    source: SOURCE,
    position: cursor,
    expect: position,
  });
  position = cursor;
  console.log(`All products: ${created} created, ${updated} updated, ${removed} removed`);
}

async function copyChanges(): Promise<void> {
  const feed = office.products.changes({ since: position ?? undefined, follow: mode === '--follow' });
  for await (const { records, removed, cursor } of feed) {
    const rows = [...records, ...removed.map((id) => ({ id, removed: true }))];
    if (rows.length === 0) continue;
    await branch.products.import(rows, { source: SOURCE, position: cursor, expect: position });
    position = cursor;
    console.log(`Changes: ${records.length} products copied, ${removed.length} removed`);
  }
}

if (position === null) await copyAll();
try {
  await copyChanges();
} catch (error) {
  // The last time was so long ago that the feed does not go back to it.
  if (!(error instanceof StockbookError) || error.code !== 'cursor_expired') throw error;
  await copyAll();
  await copyChanges();
}

const [ours, theirs] = await Promise.all([branch.products.digest(), office.products.digest()]);
console.log(`${ours.total} products, ${ours.sha256 === theirs.sha256 ? 'equal' : 'changed meanwhile'}`);
