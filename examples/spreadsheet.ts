/**
 * Writes the products that have to be ordered to a CSV file that spreadsheets open safely.
 *
 *     node spreadsheet.ts https://acme.example.com reorder.csv 10     those with a quantity below 10
 *
 * The key is in the environment variable KEY. The file is replaced once the new one is complete.
 */

import { createWriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Stockbook } from '@stockbook/client';

const [url = '', file = '', quantity = '10'] = process.argv.slice(2);
const { products } = new Stockbook({ url, key: process.env['KEY'] });

const rows = products.csv({
  filter: products.where('active', '=', true).and('qty_available', '<', Number(quantity)),
  fields: ['default_code', 'name', 'qty_available', 'list_price'],
  sort: ['qty_available', 'name'],
  // A product named "=1+1" stays a name.
  excelSafe: true,
});
await pipeline(rows, createWriteStream(`${file}.part`));
await rename(`${file}.part`, file);
console.log(`Wrote ${file}.`);
