/** Attacks on the SQLite file of a running server: it is replaced, deleted, overwritten or damaged. */

import { closeSync, copyFileSync, linkSync, openSync, readdirSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { issueKey } from '../../src/access/issue-key.ts';
import { product } from '../../src/catalog/product.ts';
import { DEFAULT_SCOPES } from '../../src/catalog/scopes.ts';
import { openDatabase } from '../support/engines.ts';
import { addAccount, load, NOW } from '../support/fixture.ts';
import { kill, makeFolder, type Serving, serve } from '../support/program.ts';
import { createPartner, PARTNERS, PRODUCTS } from '../support/rows.ts';
import { bearer, readiness, send, sendUnchecked, type TestRequest } from '../support/service.ts';

/** So many that some filters are read on another thread. */
const ROWS = 4_000;

const EXPORT = { path: PRODUCTS, headers: { accept: 'application/x-ndjson' } };

/** One for each way in which the database is used. */
const REQUESTS: readonly (readonly [string, TestRequest])[] = [
  ['a list that is cached', { path: PRODUCTS }],
  ['a list that is not cached', { path: `${PRODUCTS}?limit=3` }],
  ['a slow filter', { path: `${PRODUCTS}?filter=name!*9` }],
  ['a record that is cached', { path: `${PRODUCTS}/1` }],
  ['a record that is not cached', { path: `${PRODUCTS}/2` }],
  ['an export', EXPORT],
  ['a create', createPartner('Lost')],
  ['an invalid filter', { path: `${PRODUCTS}?filter=nonsense` }],
];

let folder: ReturnType<typeof makeFolder>;
let path: string;
let key: string;
let server: Serving;

beforeEach(async () => {
  folder = makeFolder();
  path = join(folder.path, 'stockbook.db');
  key = await makeDatabase(path);
  server = await startServer();
});
afterEach(async () => {
  await kill(server);
  folder.remove();
});

/** The accounts acme and globex, each with products that have its name. Returns a key of acme. */
async function makeDatabase(file: string): Promise<string> {
  const store = await openDatabase(file);
  const [acme, globex] = [await addAccount(store, 'acme'), await addAccount(store, 'globex')];
  for (const account of [acme, globex]) {
    const rows = Array.from({ length: ROWS }, (_, index) => ({ id: index + 1, name: `${account.name} ${index}` }));
    await load(store, account, product, rows);
  }
  const options = { account: acme.id, name: 'test', scopes: DEFAULT_SCOPES, createdAt: NOW, expiresAt: null };
  const issued = await issueKey(store.keys, options);
  await store.close();
  return issued;
}

const startServer = () => serve(['--database', path], { folder: folder.path });

const stopServer = async () => {
  server.child.kill('SIGTERM');
  expect(await server.finished).toMatchObject({ code: 0 });
};

const request = ({ headers, ...rest }: TestRequest) =>
  send(server.port, { ...rest, headers: { ...bearer(key), ...headers } });

const warmUp = async () => {
  for (const each of [{ path: PRODUCTS }, { path: `${PRODUCTS}/1` }, createPartner('Early')])
    expect((await request(each)).status).toBeLessThan(300);
};

/** In the opposite order, readiness is checked first. */
const checkRefused = async (requests: typeof REQUESTS = REQUESTS) => {
  if (requests !== REQUESTS) expect(await readiness(server)).toRespond(503);
  for (const [name, each] of requests) {
    const { status, json, text } = await request(each);
    expect({ name, status, json }).toMatchObject({ name, status: 503, json: { code: 'store_unreachable' } });
    expect(text).not.toContain('globex');
  }
  if (requests === REQUESTS) expect(await readiness(server)).toRespond(503);
  expect(await sendUnchecked(server.adminPort, { path: '/health/live' })).toRespond(200);
};

const checkServed = async () => {
  for (const each of [{ path: PRODUCTS }, { path: `${PRODUCTS}?filter=name!*8` }, { path: `${PRODUCTS}/3` }, EXPORT])
    expect(await request(each)).toMatchObject({ status: 200, text: expect.stringContaining('acme') });
  expect(await request(createPartner('Kept'))).toRespond(201);
  expect(await readiness(server)).toRespond(200);
};

const countLines = (event: string) => server.output().stderr.split(`"msg":"${event}"`).length - 1;

/** The log reports that the file was replaced, this many times so far. */
const checkReports = (count: number) => expect.poll(() => countLines('database file replaced')).toBe(count);

/** A copy in which acme and globex have each other's products. */
function makeSwapped(): string {
  const copy = join(folder.path, 'swapped.db');
  const database = new DatabaseSync(path);
  database.exec(`VACUUM INTO '${copy}'`);
  database.close();
  const swapped = new DatabaseSync(copy, { enableForeignKeyConstraints: false });
  swapped.exec('UPDATE product SET account_id = account_id + 10');
  swapped.exec('UPDATE product SET account_id = 13 - account_id');
  swapped.close();
  return copy;
}

test.each([
  ['before any request', async () => {}],
  ['after some requests', warmUp],
])('a file replaced by one in which account ids belong to others, %s, is not served', async (_, prepare) => {
  await prepare();
  const [swapped, aside] = [makeSwapped(), join(folder.path, 'aside.db')];
  renameSync(path, aside);
  renameSync(swapped, path);
  await checkRefused();
  await checkRefused(REQUESTS.toReversed());
  await checkReports(1);
  expect(countLines('database unavailable')).toBe(1);

  renameSync(path, swapped);
  renameSync(aside, path);
  await checkServed();

  renameSync(path, aside);
  await checkRefused();
  await checkReports(2);
  renameSync(aside, path);
  await stopServer();

  server = await startServer();
  const { text } = await request({ path: `${PARTNERS}?fields=name` });
  expect(text).toContain('Kept');
  expect(text).not.toContain('Lost');
});

describe('a deleted file', () => {
  const files = () => readdirSync(folder.path).filter((name) => name.startsWith('stockbook.db'));
  const deleteFiles = () => {
    for (const name of files()) unlinkSync(join(folder.path, name));
  };

  test.each([
    ['before any request', async () => {}],
    ['after some requests', warmUp],
  ])('%s is not created again', async (_, prepare) => {
    await prepare();
    deleteFiles();
    await checkRefused(REQUESTS.toReversed());
    await checkReports(1);
    await stopServer();
    expect(files()).toEqual([]);
  });

  test('takes no more creates, and has all that were acknowledged', async () => {
    // The content stays available under another name.
    const kept = join(folder.path, 'kept.db');
    for (const suffix of ['', '-wal']) linkSync(path + suffix, kept + suffix);
    const acknowledged: unknown[] = [];
    let isDeleted = false;
    let refused = 0;
    const work = async () => {
      for (let created = 0; refused < 50 && created < 10_000; created += 1) {
        const isLate = isDeleted;
        const { status, json } = await request(createPartner('Traffic'));
        if (isLate) expect(status).toBe(503);
        if (status === 503) refused += 1;
        else acknowledged.push(Object(json).data.id);
      }
    };
    const working = Promise.all(Array.from({ length: 4 }, work));
    await expect.poll(() => acknowledged.length).toBeGreaterThan(50);
    unlinkSync(path);
    isDeleted = true;
    await working;
    await kill(server);
    const database = new DatabaseSync(kept);
    const stored = database.prepare('SELECT id FROM partner').all();
    database.close();
    expect(stored.map(({ id }) => id)).toEqual(expect.arrayContaining(acknowledged));
  });
});

test('without its write-ahead log, the file is not used: new writes would be lost', async () => {
  await warmUp();
  renameSync(`${path}-wal`, `${path}-aside`);
  await checkRefused(REQUESTS.toReversed());
  await checkReports(1);
  renameSync(`${path}-aside`, `${path}-wal`);
  await checkServed();
});

test('a file that was overwritten with another database is not used again', async () => {
  await warmUp();
  const [other, original] = [join(folder.path, 'other.db'), join(folder.path, 'original.db')];
  await makeDatabase(other);
  copyFileSync(path, original);
  copyFileSync(other, path);
  await checkRefused();
  // Connections may have cached pages of the other database.
  copyFileSync(original, path);
  await checkRefused();
  await checkReports(1);
});

describe('a damaged file', () => {
  /** Overwrites some of the pages that hold the products, which are given in order. */
  const damage = (choose: (pages: readonly number[]) => readonly number[]) => {
    const database = new DatabaseSync(path);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    const pages = database.prepare("SELECT pageno FROM dbstat WHERE name = 'product' ORDER BY path").all();
    const size = Number(database.prepare('PRAGMA page_size').get()?.['page_size']);
    database.close();
    const file = openSync(path, 'r+');
    for (const page of choose(pages.map(({ pageno }) => Number(pageno))))
      writeSync(file, Buffer.alloc(size, 0xff), 0, size, (page - 1) * size);
    closeSync(file);
  };

  test('is not ready once a list has failed, even if others are served', async () => {
    damage((pages) => pages.slice(Math.floor(pages.length / 4), Math.floor(pages.length / 3)));
    expect(await readiness(server)).toRespond(200);
    expect(await request({ path: `${PRODUCTS}?page=23&limit=100` })).toRespond(503);
    expect(await request({ path: `${PRODUCTS}?limit=3` })).toRespond(200);
    for (let count = 0; count < 3; count += 1) expect(await readiness(server)).toRespond(503);
    await checkReports(0);
  });

  test('is not ready if no list is served', async () => {
    damage((pages) => pages);
    expect(await readiness(server)).toRespond(503);
    expect(await request({ path: PRODUCTS })).toRespond(503);
  });
});
