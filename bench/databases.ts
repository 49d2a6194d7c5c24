/** The databases of a run: Stockbook's, created by its own commands, and the floor's plain tables with the same rows. */

import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DATA, type Engine, SCRATCH } from './engines.ts';
import { run } from './processes.ts';
import { PRODUCTS_VERSION, writeProducts } from './products.ts';
import { progress } from './progress.ts';

const LOADER = fileURLToPath(new URL('floor/loader.ts', import.meta.url));

/** The large account, and 99 small ones with 1000 rows each. */
const BIG = 'big';
const SMALL = Array.from({ length: 99 }, (_, index) => `a${String(index + 1).padStart(3, '0')}`);
const SMALL_ROWS = 1_000;

/** How many products a database has if the large account has this many. */
export function recordCount(rows: number): number {
  return rows + SMALL.length * SMALL_ROWS;
}

export interface StockbookDatabase {
  /** As the engine knows it. */
  readonly name: string;
  readonly url: string;
  /** One key per account; the first belongs to the large account. */
  readonly keys: readonly string[];
}

/**
 * A database that later runs use again; `fill` returns its keys. Its files are read once in every run, so that no measurement waits for the
 * disk.
 */
async function reusableDatabase(
  engine: Engine,
  name: string,
  fill: (url: string) => Promise<readonly string[]>,
): Promise<StockbookDatabase> {
  const url = engine.url(name);
  const keysFile = join(DATA, `${engine.name}_${name}.json`);
  if (!existsSync(keysFile)) {
    progress.show(`${engine.name}: creating database ${name}`);
    await engine.create(name);
    const keys = await fill(url);
    if (engine.name === 'postgres') await engine.execute(name, 'VACUUM ANALYZE');
    writeFileSync(keysFile, JSON.stringify(keys));
  }
  for (const file of await engine.files(name)) await once(createReadStream(file).resume(), 'close');
  return { name, url, keys: JSON.parse(readFileSync(keysFile, 'utf8')) };
}

/** An account with a file of products, and its key. */
async function addAccount(program: string, url: string, account: string, rows: number): Promise<string> {
  await run(program, ['account', 'add', account, '--database', url]);
  await run(program, ['import', account, 'product', await productsFile(rows), '--database', url]);
  return addKey(program, url, account);
}

/**
 * A database with all accounts. Its name contains a hash of the program's schema, so programs with
 * different migrations never open each other's database, and a new migration leads to a new database.
 */
export async function stockbookDatabase(engine: Engine, program: string, rows: number): Promise<StockbookDatabase> {
  const name = `stockbook_${rows}_v${PRODUCTS_VERSION}_${await schemaHash(engine, program)}`;
  return reusableDatabase(engine, name, async (url) => {
    const keys = [await addAccount(program, url, BIG, rows)];
    for (const account of SMALL) {
      progress.show(`${engine.name}: creating database ${name}`, `: account ${account}`);
      keys.push(await addAccount(program, url, account, SMALL_ROWS));
    }
    return keys;
  });
}

const MANY_LOADER = fileURLToPath(new URL('many-accounts.ts', import.meta.url));
const MANY_ACCOUNTS = 10_000;
const MANY_ROWS = 100;

/** Many small accounts. */
export async function manyAccountsDatabase(engine: Engine, program: string): Promise<StockbookDatabase> {
  const name = `many_v${PRODUCTS_VERSION}_${await schemaHash(engine, program)}`;
  return reusableDatabase(engine, name, async (url) => {
    const accountsFile = join(DATA, 'many_accounts.csv');
    const lines = Array.from({ length: MANY_ACCOUNTS }, (_, index) => `m${index},bench`);
    writeFileSync(accountsFile, `account,key\n${lines.join('\n')}\n`);
    const printed = await run(program, ['account', 'add', '--file', accountsFile, '--database', url]);
    await run(MANY_LOADER, [url, await productsFile(MANY_ROWS)]);
    return printed.match(/sbk_\w+/g) ?? [];
  });
}

/** What the accounts of the case `bully` have. */
export interface AttackDatabase extends StockbookDatabase {
  /** The products of the account that is attacked, whose key is the first. */
  readonly rows: number;
  /** The products of the attacker, whose key is the second. */
  readonly attackerRows: number;
}

/** The attacker has partners whose texts have 1,000 characters each. */
const LARGE_PARTNERS = 700;

/** With fewer products, no filter would be slow. */
const MIN_ATTACKED_ROWS = 10_000;

/** Two accounts. */
export async function attackDatabase(engine: Engine, program: string, rows: number): Promise<AttackDatabase> {
  const name = `bully_${rows}_v${PRODUCTS_VERSION}_${await schemaHash(engine, program)}`;
  const sizes = { rows: Math.max(MIN_ATTACKED_ROWS, rows / 10), attackerRows: rows };
  const database = await reusableDatabase(engine, name, async (url) => {
    const keys = [
      await addAccount(program, url, 'good', sizes.rows),
      await addAccount(program, url, 'bully', sizes.attackerRows),
    ];
    await run(program, ['import', 'bully', 'partner', largePartnersFile(), '--database', url]);
    return keys;
  });
  return { ...database, ...sizes };
}

function largePartnersFile(): string {
  const file = join(DATA, 'large_partners.csv');
  const columns = ['name', 'ref', 'email', 'phone', 'vat', 'street', 'city', 'zip', 'country_code'];
  const lines = Array.from({ length: LARGE_PARTNERS }, (_, index) => {
    const text = String(index + 1).padStart(1_000, 'x');
    return [index + 1, ...columns.map(() => text)].join(',');
  });
  writeFileSync(file, `${['id', ...columns].join(',')}\n${lines.join('\n')}\n`);
  return file;
}

export interface ScratchDatabase extends StockbookDatabase {
  drop(): Promise<void>;
}

let scratchCount = 0;

/** A new Stockbook database with one empty account, for one measurement. */
export async function scratchDatabase(engine: Engine, program: string): Promise<ScratchDatabase> {
  const { name, url } = await createScratch(engine, program);
  return {
    name,
    url,
    keys: [await addKey(program, url, BIG, ['--scope', 'read,write,edit'])],
    drop: () => engine.drop(name),
  };
}

async function createScratch(
  engine: Engine,
  program: string,
): Promise<{ readonly name: string; readonly url: string }> {
  scratchCount += 1;
  const name = `${SCRATCH}${process.pid}_${scratchCount}`;
  const url = engine.url(name);
  await engine.create(name);
  await run(program, ['account', 'add', BIG, '--database', url]);
  return { name, url };
}

async function schemaHash(engine: Engine, program: string): Promise<string> {
  const { name } = await createScratch(engine, program);
  const schema = await engine.schema(name);
  await engine.drop(name);
  return createHash('sha256').update(schema).digest('hex').slice(0, 8);
}

async function addKey(program: string, url: string, account: string, more: readonly string[] = []): Promise<string> {
  return (await run(program, ['key', 'add', account, '--name', 'bench', '--database', url, ...more])).trim();
}

/** Load a file into the account of a scratch database: with `stockbook import`, and with the minimal loader. */
export const loaders = {
  stockbook: (program: string, url: string, file: string) =>
    run(program, ['import', BIG, 'product', file, '--database', url]),
  floor: (engine: Engine, url: string, file: string) => run(LOADER, [engine.name, url, file]),
};

const FLOOR_TYPES = {
  sqlite: { number: 'REAL', boolean: 'INTEGER', timestamp: 'TEXT' },
  postgres: { number: 'double precision', boolean: 'boolean', timestamp: 'timestamptz' },
};

/** A plain table with single-column indexes and no accounts. */
export async function floorDatabase(engine: Engine, rows: number): Promise<string> {
  const name = `floor_${rows}_v${PRODUCTS_VERSION}`;
  const { number, boolean, timestamp } = FLOOR_TYPES[engine.name];
  const { url } = await reusableDatabase(engine, name, async (url) => {
    await engine.execute(
      name,
      `CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT NOT NULL, default_code TEXT, list_price ${number} NOT NULL,
        qty_available ${number} NOT NULL, active ${boolean} NOT NULL, categ_id INTEGER, product_tmpl_id INTEGER,
        is_rsd_product ${boolean}, create_date ${timestamp} NOT NULL, write_date ${timestamp} NOT NULL)`,
    );
    await loaders.floor(engine, url, await productsFile(rows));
    const indexed = ['list_price', 'qty_available', 'categ_id', 'default_code', 'name'];
    const indexes = indexed.map((column) => `CREATE INDEX ${column}_index ON product (${column});`);
    await engine.execute(name, [...indexes, 'ANALYZE'].join('\n'));
    return [];
  });
  return url;
}

export async function productsFile(rows: number): Promise<string> {
  const file = join(DATA, `products_${rows}_v${PRODUCTS_VERSION}.csv`);
  if (!existsSync(file)) await writeProducts(file, rows);
  return file;
}
