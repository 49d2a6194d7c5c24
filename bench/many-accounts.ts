/** Loads a file of products into every account of a database: many-accounts.ts URL FILE. */

import { readFileSync } from 'node:fs';
import { product } from '../src/catalog/product.ts';
import { importRows } from '../src/import/import.ts';
import { importFormats } from '../src/import/import-formats.ts';
import { COMMAND_WORDS } from '../src/import/words.ts';
import { readDatabase } from '../src/store/database.ts';
import { openStore } from '../src/store/open.ts';
import { plainLoad } from '../src/store/store.ts';

const [url = '', path = ''] = process.argv.slice(2);
const database = readDatabase(url);
const format = importFormats.find(({ name }) => name === 'csv');
if (database === undefined || format === undefined) throw new Error(`${url} is not a database`);
const file = readFileSync(path);
const plan = {
  ...plainLoad(product, new Date().toISOString()),
  decisions: { columns: new Map() },
  words: COMMAND_WORDS,
  import: { file: path },
};
const store = await openStore(database, { create: false, poolSize: 1, statementTimeout: 0 });
for (const account of await store.accounts.list()) {
  await importRows(store, { account: account.id }, plan, format, { bytes: chunks() });
}
await store.close();

async function* chunks(): AsyncIterable<Uint8Array> {
  yield file;
}
