/** Indexes in memory of the real program with several workers: the node has each of them once, in the primary process. */

import { Agent } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { issueKey } from '../../src/access/issue-key.ts';
import { product } from '../../src/catalog/product.ts';
import { DEFAULT_SCOPES } from '../../src/catalog/scopes.ts';
import { MIN_ROWS } from '../../src/store/column-index/column-indexes.ts';
import { engines, type OpenedStore, openTestStore } from '../support/engines.ts';
import { addAccount, load, NOW } from '../support/fixture.ts';
import { childrenOf, makeFolder, type Serving, serve } from '../support/program.ts';
import { PRODUCTS } from '../support/rows.ts';
import { bearer, send, sendUnchecked } from '../support/service.ts';

const products = Array.from({ length: MIN_ROWS }, (_, n) => ({
  id: n + 1,
  name: `Product ${n}`,
  list_price: n % 1_000,
}));

describe.each(engines)('on $name', (engine) => {
  let opened: OpenedStore;
  let folder: ReturnType<typeof makeFolder>;
  let server: Serving;
  let key: string;
  beforeEach(async () => {
    folder = makeFolder();
    opened = await openTestStore(engine);
    const { store, database } = opened;
    const account = await addAccount(store, 'acme');
    await load(store, account, product, products);
    const terms = { account: account.id, name: 'test', scopes: DEFAULT_SCOPES, createdAt: NOW, expiresAt: null };
    key = await issueKey(store.keys, terms);
    server = await serve(['--database', database.url, '--workers', '2', '--log-level', 'debug'], {
      folder: folder.path,
    });
  });
  afterEach(async () => {
    server.child.kill('SIGCONT');
    server.child.kill('SIGTERM');
    await server.finished;
    await opened.close();
    folder.remove();
  });

  const metric = async (name: string) => {
    const { text } = await sendUnchecked(server.adminPort, { path: '/metrics' });
    const line = text.split('\n').find((each) => each.startsWith(`${name} `));
    return Number(line?.slice(name.length));
  };
  const built = () =>
    server
      .output()
      .stderr.split('\n')
      .filter((line) => line.includes('"msg":"index built"'))
      .map((line) => Object(JSON.parse(line)).pid);

  let filters = 0;
  /** Of a filter that no request had before. A connection of its own goes to either worker. */
  const totalOf = async (agent: Agent | false = false) => {
    filters += 1;
    const price = 500 + filters / 1_000_000;
    const path = `${PRODUCTS}?filter=${encodeURIComponent(`list_price>${price}&qty_available=0`)}`;
    const { status, json } = await send(server.port, { path, headers: bearer(key) }, agent);
    expect(status).toBe(200);
    return Object(json).meta.total;
  };
  const EXPECTED = MIN_ROWS * 0.499;

  test('there is one index, whichever worker is asked, and it is up to date', async () => {
    await expect.poll(() => totalOf().then(() => metric('stockbook_index_hits_total'))).toBeGreaterThan(0);
    const [hits, misses] = [await metric('stockbook_index_hits_total'), await metric('stockbook_index_misses_total')];
    // Each worker has one of the connections.
    const agents = [1, 2, 3, 4].map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
    for (const agent of agents) for (let n = 0; n < 3; n += 1) expect(await totalOf(agent)).toBe(EXPECTED);
    expect(await metric('stockbook_index_hits_total')).toBe(hits + 12);
    expect(await metric('stockbook_index_misses_total')).toBe(misses);
    expect(await metric('stockbook_indexes')).toBe(1);
    expect(await metric('stockbook_index_max_bytes')).toBe(256 * 1024 * 1024);
    expect(built()).toEqual([server.child.pid]);
    // What another process writes is there.
    const account = await opened.store.accounts.find('acme');
    if (account === undefined) throw new Error('there is no account');
    await load(opened.store, account, product, [{ id: MIN_ROWS + 1, name: 'Another', list_price: 900 }]);
    for (const agent of agents) expect(await totalOf(agent)).toBe(EXPECTED + 1);
    for (const agent of agents) agent.destroy();
  });

  test('if the process that holds it stops responding, or is killed, the database answers', async () => {
    await expect.poll(() => totalOf().then(() => metric('stockbook_indexes'))).toBe(1);
    // It has accepted these connections; without it, there are no others.
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const ask = () => Promise.all([1, 2, 3, 4].map(() => totalOf(agent)));
    const expected = [EXPECTED, EXPECTED, EXPECTED, EXPECTED];
    expect(await ask()).toEqual(expected);
    server.child.kill('SIGSTOP');
    expect(await ask()).toEqual(expected);
    server.child.kill('SIGCONT');
    const hits = await metric('stockbook_index_hits_total');
    await expect.poll(() => ask().then(() => metric('stockbook_index_hits_total'))).toBeGreaterThan(hits);
    const workers = childrenOf(server);
    const asked = ask();
    server.child.kill('SIGKILL');
    expect(await asked).toEqual(expected);
    agent.destroy();
    // They stop, since nobody could replace them.
    await expect.poll(() => workers.filter((pid) => isRunning(pid))).toEqual([]);
  });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
