/**
 * Keeps a copy of all products in a SQLite file, for a warehouse that has to work without the network.
 *
 *     node warehouse-sync.ts https://acme.example.com stock.db              brings the file up to date
 *     node warehouse-sync.ts https://acme.example.com stock.db --follow     keeps it up to date
 *
 * The key is in the environment variable KEY. The process can be killed at any time: it continues where it was.
 */

import { DatabaseSync } from 'node:sqlite';
import { type Copy, type Product, Stockbook } from '@stockbook/client';

const [url = '', file = '', mode] = process.argv.slice(2);
const { products } = new Stockbook({ url, key: process.env['KEY'] });

const database = new DatabaseSync(file);
database.exec(`PRAGMA journal_mode = WAL;
  CREATE TABLE IF NOT EXISTS product (
    id INTEGER PRIMARY KEY,
    record TEXT NOT NULL,
    name TEXT AS (record ->> 'name'),
    quantity REAL AS (record ->> 'qty_available')
  );
  CREATE TABLE IF NOT EXISTS checkpoint (text TEXT)`);

function inTransaction(body: () => void): void {
  database.exec('BEGIN');
  body();
  database.exec('COMMIT');
}

const copy: Copy<Product> = {
  load() {
    const text = database.prepare('SELECT text FROM checkpoint').get()?.['text'];
    return text === undefined ? undefined : String(text);
  },
  put(records) {
    const insert = database.prepare('INSERT OR REPLACE INTO product (id, record) VALUES (?, ?)');
    inTransaction(() => {
      for (const record of records) insert.run(record.id, JSON.stringify(record));
    });
  },
  delete(ids) {
    const remove = database.prepare('DELETE FROM product WHERE id = ?');
    inTransaction(() => {
      for (const id of ids) remove.run(id);
    });
  },
  save(checkpoint) {
    inTransaction(() => {
      database.exec('DELETE FROM checkpoint');
      database.prepare('INSERT INTO checkpoint VALUES (?)').run(checkpoint);
    });
  },
  clear() {
    inTransaction(() => database.exec('DELETE FROM checkpoint; DELETE FROM product'));
  },
  *records() {
    for (const { record } of database.prepare('SELECT record FROM product ORDER BY id').iterate())
      yield JSON.parse(String(record));
  },
};

const { put, deleted, isProven } = await products.mirror(copy, {
  follow: mode === '--follow',
  onProgress: (progress) => console.log(`${progress.put} put, ${progress.deleted} deleted`),
});
console.log(`Up to date: ${put} put, ${deleted} deleted, ${isProven ? 'proven equal' : 'not proven'}.`);
