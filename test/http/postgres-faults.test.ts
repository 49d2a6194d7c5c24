/** A PostgreSQL that goes away and comes back, several nodes, and several hosts. */

import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { issueKey } from '../../src/access/issue-key.ts';
import { KeyUse } from '../../src/access/key-use.ts';
import { RateLimiter } from '../../src/access/rate-limiter.ts';
import { App } from '../../src/app.ts';
import { partner } from '../../src/catalog/partner.ts';
import { createService } from '../../src/http/service.ts';
import { planCreate } from '../../src/plan/create.ts';
import { SCOPES, type Store } from '../../src/store/store.ts';
import { engines, onPostgres, openDatabase, type TestDatabase } from '../support/engines.ts';
import { addAccount, NOW, planned, revisionOf } from '../support/fixture.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { PARTNERS } from '../support/rows.ts';
import { send, type TestReply, type TestRequest } from '../support/service.ts';

interface TestNode {
  readonly store: Store;
  send(request: TestRequest): Promise<TestReply>;
  close(): Promise<void>;
}

async function startNode(url: string, key: string): Promise<TestNode> {
  const store = await openDatabase(url);
  const keyUse = new KeyUse(store.keys, () => {});
  const emit = () => {};
  const app = new App({
    store,
    keyUse,
    limiter: new RateLimiter(0),
    domain: 'localhost',
    emit,
    cacheSize: 1024 * 1024,
  });
  const service = createService(app, emit);
  const port = await service.listen({ host: '127.0.0.1', port: 0 });
  return {
    store,
    send: ({ headers, ...request }) =>
      send(port, { ...request, headers: { authorization: `Bearer ${key}`, ...headers } }),
    async close() {
      await service.stop(0);
      await keyUse.close();
      await store.close();
    },
  };
}

async function makeKey(url: string): Promise<string> {
  const store = await openDatabase(url);
  const { id } = await addAccount(store, 'acme');
  const key = await issueKey(store.keys, {
    account: id,
    name: 'test',
    scopes: SCOPES,
    createdAt: NOW,
    expiresAt: null,
  });
  await store.close();
  return key;
}

async function freshDatabase(): Promise<TestDatabase> {
  const engine = engines.find(({ name }) => name === 'PostgreSQL');
  if (engine === undefined) throw new Error('there is no PostgreSQL');
  return engine.makeDatabase();
}

const create = (name: string): TestRequest => ({
  method: 'POST',
  path: PARTNERS,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ name }),
});

test('two nodes on one database give unique ids, and each sees at once what the other wrote', async () => {
  const database = await freshDatabase();
  const key = await makeKey(database.url);
  const nodes = await Promise.all([startNode(database.url, key), startNode(database.url, key)]);
  const [one, other] = nodes;
  const ids: number[] = [];
  const work = async (writer: TestNode, reader: TestNode, name: string) => {
    for (let n = 0; n < 50; n += 1) {
      const { json } = await writer.send(create(name));
      const { id } = Object(json).data;
      ids.push(id);
      expect((await reader.send({ path: `${PARTNERS}/${id}?fields=name` })).json).toEqual({ data: { name } });
      const { meta } = Object((await reader.send({ path: `${PARTNERS}?filter=name=${name}&limit=1` })).json);
      expect(meta.total).toBeGreaterThanOrEqual(n + 1);
    }
  };
  await Promise.all([work(one, other, 'A'), work(other, one, 'B'), work(one, other, 'C'), work(other, one, 'D')]);
  expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1));
  const [mine, theirs] = await Promise.all(nodes.map((node) => node.send({ path: `${PARTNERS}?limit=1000` })));
  expect(mine?.text).toBe(theirs?.text);
  expect(mine?.headers['etag']).toBe(theirs?.headers['etag']);
  expect(mine?.headers['etag']).toMatch(/-200"$/);
  await Promise.all(nodes.map((node) => node.close()));
  await database.drop();
});

describe('a server that goes away', () => {
  let server: PostgresServer;
  let node: TestNode;
  beforeAll(async () => {
    server = await startPostgres();
    node = await startNode(server.url('postgres'), await makeKey(server.url('postgres')));
  });
  afterAll(async () => {
    await node.close();
    await server.remove();
  });

  test.each(['SIGQUIT', 'SIGINT'] as const)('by %s is told with a 503, and found again by itself', async (signal) => {
    const statuses = new Set<number>();
    let isBusy = true;
    const created: number[] = [];
    const traffic = Array.from({ length: 6 }, async (_, n) => {
      while (isBusy) {
        const reply = await node.send(n % 2 === 0 ? create('Traffic') : { path: `${PARTNERS}?filter=name=Traffic` });
        statuses.add(reply.status);
        if (reply.status === 201) created.push(Object(reply.json).data.id);
      }
    });
    await expect.poll(() => created.length).toBeGreaterThan(20);
    await server.kill(signal);
    await expect.poll(() => statuses.has(503)).toBe(true);

    const refused = await node.send({ path: PARTNERS });
    expect(refused).toMatchObject({
      status: 503,
      headers: { 'retry-after': '2' },
      json: { code: 'store_unreachable' },
    });
    expect(refused.text).not.toContain('127.0.0.1');
    expect((await node.send({ path: '/health/live' })).status).toBe(200);
    expect(await node.send({ path: '/health/ready' })).toMatchObject({
      status: 503,
      json: { code: 'store_unreachable' },
    });

    await server.start();
    await expect.poll(async () => (await node.send({ path: '/health/ready' })).status).toBe(200);
    const before = created.length;
    await expect.poll(() => created.length).toBeGreaterThan(before + 20);
    isBusy = false;
    await Promise.all(traffic);
    expect([...statuses].toSorted()).toEqual([200, 201, 503]);

    // What was answered is there; what was not may be, and nothing is there twice.
    const { json } = await node.send({ path: `${PARTNERS}?limit=1` });
    expect(Object(json).meta.total).toBeGreaterThanOrEqual(created.length);
    expect(new Set(created).size).toBe(created.length);
    for (const id of created.slice(-5)) expect((await node.send({ path: `${PARTNERS}/${id}` })).status).toBe(200);
  });
});

describe('a connection that is ended in the middle of a write', () => {
  const END_WAITING = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'stockbook' AND wait_event_type = 'Lock'`;

  test('costs that write alone, however often', async () => {
    const database = await freshDatabase();
    const node = await startNode(database.url, await makeKey(database.url));
    // The first time nothing is prepared, later on everything is.
    for (let round = 0; round < 4; round += 1) {
      const release = await database.holdWrites();
      const creating = Array.from({ length: 5 }, () => node.send(create('Waiting')));
      const isWaiting = async () => {
        const sql = postgres(database.url, { max: 1 });
        const ended = await sql.unsafe(END_WAITING);
        await sql.end();
        return ended.length;
      };
      await expect.poll(isWaiting).toBe(1);
      await release();
      const statuses = (await Promise.all(creating)).map(({ status }) => status);
      expect(statuses).toContain(503);
      expect(statuses.every((status) => status === 503 || status === 201)).toBe(true);
      expect((await node.send(create('After'))).status).toBe(201);
      expect((await node.send({ path: PARTNERS })).status).toBe(200);
    }
    const { json } = await node.send({ path: `${PARTNERS}?limit=1000` });
    const ids = Object(json).data.map(({ id }: { id: number }) => id);
    expect(ids).toEqual(Array.from({ length: ids.length }, (_, n) => n + 1));
    expect(Object(json).meta.total).toBe(ids.length);
    await node.close();
    await database.drop();
  });
});

test('an account that is locked keeps no other from reading or writing', async () => {
  const database = await freshDatabase();
  const store = await openDatabase(database.url);
  const [locked, free] = [await addAccount(store, 'locked'), await addAccount(store, 'free')];
  const plan = planned(planCreate(partner, { name: 'A' }, NOW));
  const sql = postgres(database.url, { max: 1 });
  await sql.unsafe(`BEGIN; SELECT 1 FROM ledger WHERE account_id = ${locked.id} FOR UPDATE`);
  const waiting = Array.from({ length: 30 }, () => store.records.create(locked.id, plan));
  expect(await store.records.create(free.id, plan)).toEqual({ id: 1 });
  expect(await revisionOf(store, free.id, partner)).toBe(1);
  await sql.end();
  expect((await Promise.all(waiting)).toSorted((a, b) => Object(a).id - Object(b).id)).toEqual(
    Array.from({ length: 30 }, (_, n) => ({ id: n + 1 })),
  );
  await store.close();
  await database.drop();
});

test('a database that takes no connections any more is a 503, and found again', async () => {
  const database = await freshDatabase();
  const node = await startNode(database.url, await makeKey(database.url));
  const name = new URL(database.url).pathname.slice(1);
  const elsewhere = database.url.replace(`/${name}`, '/postgres');
  expect((await node.send({ path: PARTNERS })).status).toBe(200);
  await onPostgres(elsewhere, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await onPostgres(elsewhere, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  const isRefused = async () => (await node.send({ path: PARTNERS })).json;
  await expect.poll(isRefused).toMatchObject({ status: 503, code: 'store_unreachable' });
  await onPostgres(elsewhere, `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  await expect.poll(async () => (await node.send({ path: PARTNERS })).status).toBe(200);
  await node.close();
  await database.drop();
});

describe('several hosts', () => {
  test('are looked through again where the connections broke while nobody asked', async () => {
    const [first, second] = await Promise.all([startPostgres(), startPostgres(['default_transaction_read_only=on'])]);
    const url = `postgres://stockbook@127.0.0.1:${first.port},127.0.0.1:${second.port}/postgres`;
    const node = await startNode(url, await makeKey(first.url('postgres')));
    expect((await node.send(create('Before'))).status).toBe(201);
    await second.kill();
    await second.start(['default_transaction_read_only=off']);
    await makeKey(second.url('postgres'));
    await first.kill('SIGINT');
    await first.start(['default_transaction_read_only=on']);
    // The key is of the first server: the second does not know it.
    expect((await node.send({ path: PARTNERS })).status).toBe(401);
    await node.close();
    await Promise.all([first.remove(), second.remove()]);
  });

  test('the one that takes writes is used, and found again after a failover', async () => {
    const [first, second] = await Promise.all([startPostgres(), startPostgres(['default_transaction_read_only=on'])]);
    const url = `postgres://stockbook@127.0.0.1:${second.port},127.0.0.1:${first.port}/postgres`;
    const node = await startNode(url, await makeKey(first.url('postgres')));
    expect((await node.send(create('Before'))).status).toBe(201);

    // The one takes over where the other fell: here they share nothing, so it has to be made ready first.
    await first.kill();
    expect((await node.send({ path: PARTNERS })).status).toBe(503);
    await second.kill();
    await second.start(['default_transaction_read_only=off']);
    const { url: alone } = { url: second.url('postgres') };
    await makeKey(alone);
    await expect.poll(async () => (await node.send({ path: '/health/ready' })).status).toBe(200);
    expect((await node.send({ path: PARTNERS })).status).toBe(401);
    await node.close();
    await Promise.all([first.remove(), second.remove()]);
  });
});
