/** PostgreSQL as it fails in production: servers that stop, connections that end, locks that are held, failovers. */

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { planCreate } from '../../src/plan/create.ts';
import { CacheBudget } from '../../src/store/state/cache.ts';
import { makeKey } from '../support/account-key.ts';
import { nodeUrls } from '../support/cluster.ts';
import { engines, onPostgres, openDatabase, type TestDatabase } from '../support/engines.ts';
import { addAccount, NOW, planned, revisionOf } from '../support/fixture.ts';
import { connectTo, type TestConnection } from '../support/postgres-connection.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { bodyOf, createPartner, PARTNERS } from '../support/rows.ts';
import {
  awaitedLater,
  bearer,
  readiness,
  send,
  serveStore,
  type TestReply,
  type TestRequest,
  type TestServer,
} from '../support/service.ts';

/** One of several processes that serve the same database. */
interface TestNode extends Pick<TestServer, 'adminPort'> {
  send(request: TestRequest): Promise<TestReply>;
  close(): Promise<void>;
}

async function startNode(url: string, key: string): Promise<TestNode> {
  const budget = new CacheBudget(1024 * 1024);
  const store = await openDatabase(url, budget);
  const server = await serveStore(store, budget);
  return {
    adminPort: server.adminPort,
    send: ({ headers, ...request }) => send(server.port, { ...request, headers: { ...bearer(key), ...headers } }),
    async close() {
      await server.close();
      await store.close();
    },
  };
}

/** Dropped at the end of the test. */
async function makeDatabase(): Promise<TestDatabase> {
  const engine = engines.find(({ name }) => name === 'PostgreSQL');
  if (engine === undefined) throw new Error('there is no PostgreSQL');
  const database = await engine.makeDatabase();
  onTestFinished(() => database.drop());
  return database;
}

/** Closed at the end of the test. */
function connect(url: string): TestConnection {
  const connection = connectTo(url);
  onTestFinished(() => connection.end());
  return connection;
}

/** Connections of the program that wait for a lock; on a cluster, those that a node has opened to a worker node for it. */
const WAITING = `FROM pg_stat_activity WHERE datname = current_database()
  AND (application_name = 'stockbook' OR application_name LIKE 'citus_internal%') AND wait_event_type = 'Lock'`;

/** Returns a function that runs a query on the server, or on all nodes of a cluster, and returns the number of rows. */
async function observe(url: string): Promise<(query: string) => Promise<number>> {
  const nodes = (await nodeUrls(url)).map(connect);
  return async (query) => (await Promise.all(nodes.map((node) => node.query(query)))).flat().length;
}

test('two nodes on one database assign unique ids, and each sees at once what the other wrote', async () => {
  const database = await makeDatabase();
  const key = await makeKey(database.url);
  const nodes = await Promise.all([startNode(database.url, key), startNode(database.url, key)]);
  const [one, other] = nodes;
  onTestFinished(async () => void (await Promise.all(nodes.map((node) => node.close()))));
  const ids: number[] = [];
  const work = async (writer: TestNode, reader: TestNode, name: string) => {
    for (let n = 0; n < 50; n += 1) {
      const body = bodyOf(await writer.send(createPartner(name)));
      const { id } = body.data;
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
});

describe('a server that stops', () => {
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

  test.each(['SIGQUIT', 'SIGINT'] as const)('after %s is a 503 until it is back', async (signal) => {
    const statuses = new Set<number>();
    const created: number[] = [];
    let isBusy = true;
    const work = async (request: TestRequest) => {
      while (isBusy) {
        const reply = await node.send(request);
        statuses.add(reply.status);
        if (reply.status === 201) created.push(bodyOf(reply).data.id);
      }
    };
    const traffic = awaitedLater(
      Promise.all(
        Array.from({ length: 6 }, (_, n) =>
          work(n % 2 === 0 ? createPartner('Traffic') : { path: `${PARTNERS}?filter=name=Traffic` }),
        ),
      ),
    );
    try {
      await expect.poll(() => created.length).toBeGreaterThan(20);
      await server.kill(signal);
      await expect.poll(() => statuses.has(503)).toBe(true);

      const unavailable = await node.send({ path: PARTNERS });
      expect(unavailable).toMatchObject({
        status: 503,
        headers: { 'retry-after': '2' },
        json: { code: 'store_unreachable' },
      });
      expect(unavailable.text).not.toContain('127.0.0.1');
      expect(await readiness(node)).toRespond(503);

      await server.start();
      await expect.poll(() => readiness(node)).toRespond(200);
      const before = created.length;
      await expect.poll(() => created.length).toBeGreaterThan(before + 20);
    } finally {
      isBusy = false;
    }
    await traffic;
    expect([...statuses].toSorted()).toEqual([200, 201, 503]);

    // Acknowledged creates were written once; others may or may not have been written.
    const body = bodyOf(await node.send({ path: `${PARTNERS}?limit=1` }));
    expect(body.meta.total).toBeGreaterThanOrEqual(created.length);
    expect(new Set(created).size).toBe(created.length);
    for (const id of created.slice(-5)) expect(await node.send({ path: `${PARTNERS}/${id}` })).toRespond(200);
  });
});

test('a connection that ends in the middle of a write affects only that write, however often', async () => {
  const database = await makeDatabase();
  const node = await startNode(database.url, await makeKey(database.url));
  onTestFinished(() => node.close());
  const observed = await observe(database.url);
  const terminateWaiting = () => observed(`SELECT pg_terminate_backend(pid) ${WAITING}`);
  // In the first round, no statement has been prepared; later, all have been.
  for (let round = 0; round < 4; round += 1) {
    const release = await database.holdWrites();
    const creating = awaitedLater(Promise.all(Array.from({ length: 5 }, () => node.send(createPartner('Waiting')))));
    await expect.poll(terminateWaiting).toBe(1);
    await release();
    const statuses = (await creating).map(({ status }) => status);
    expect(statuses).toContain(503);
    expect(statuses.filter((status) => ![201, 503].includes(status))).toEqual([]);
    expect(await node.send(createPartner('After'))).toRespond(201);
    expect(await node.send({ path: PARTNERS })).toRespond(200);
  }
  const body = bodyOf(await node.send({ path: `${PARTNERS}?limit=1000` }));
  const ids = body.data.map(({ id }: { id: number }) => id);
  expect(ids).toEqual(Array.from({ length: ids.length }, (_, n) => n + 1));
  expect(body.meta.total).toBe(ids.length);
});

test('an account that is locked does not keep others from reading and writing', async () => {
  const database = await makeDatabase();
  const store = await openDatabase(database.url);
  onTestFinished(() => store.close());
  const [locked, free] = [await addAccount(store, 'locked'), await addAccount(store, 'free')];
  const plan = planned(planCreate(partner, { name: 'A' }, NOW));
  const [holder, observed] = [connect(database.url), await observe(database.url)];
  await holder.query(`BEGIN; SELECT 1 FROM ledger WHERE account_id = ${locked.id} FOR UPDATE`);
  const waiting = awaitedLater(
    Promise.all(Array.from({ length: 30 }, () => store.records.create({ account: locked.id }, plan))),
  );
  await expect.poll(() => observed(`SELECT pid ${WAITING}`)).toBe(1);
  expect(await store.records.create({ account: free.id }, plan)).toEqual({ id: 1 });
  expect(await revisionOf(store, free.id, partner)).toBe(1);
  await holder.query('COMMIT');
  expect((await waiting).toSorted((a, b) => Object(a).id - Object(b).id)).toEqual(
    Array.from({ length: 30 }, (_, n) => ({ id: n + 1 })),
  );
});

test('a database that accepts no connections is a 503 until it does', async () => {
  const database = await makeDatabase();
  const node = await startNode(database.url, await makeKey(database.url));
  onTestFinished(() => node.close());
  const name = new URL(database.url).pathname.slice(1);
  const elsewhere = database.url.replace(`/${name}`, '/postgres');
  expect(await node.send({ path: PARTNERS })).toRespond(200);
  await onPostgres(elsewhere, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await onPostgres(elsewhere, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  await expect
    .poll(async () => (await node.send({ path: PARTNERS })).json)
    .toMatchObject({ status: 503, code: 'store_unreachable' });
  await onPostgres(elsewhere, `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  await expect.poll(() => node.send({ path: PARTNERS })).toRespond(200);
});

describe('with several hosts', () => {
  // The servers share nothing, so the second does not know the key of the first: its response is a 401.
  const startServers = async () => {
    const servers = await Promise.all([startPostgres(), startPostgres(['default_transaction_read_only=on'])]);
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.remove()))));
    return servers;
  };
  const startNodeOn = async (hosts: readonly PostgresServer[], primary: PostgresServer) => {
    const addresses = hosts.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const url = `postgres://stockbook@${addresses}/postgres`;
    const node = await startNode(url, await makeKey(primary.url('postgres')));
    onTestFinished(() => node.close());
    return node;
  };
  const promote = async (server: PostgresServer) => {
    await server.kill();
    await server.start(['default_transaction_read_only=off']);
    await makeKey(server.url('postgres'));
  };

  test('a failover without any traffic is noticed before the next request', async () => {
    const [first, second] = await startServers();
    const node = await startNodeOn([first, second], first);
    expect(await node.send(createPartner('Before'))).toRespond(201);
    await promote(second);
    await first.kill('SIGINT');
    await first.start(['default_transaction_read_only=on']);
    expect(await node.send({ path: PARTNERS })).toRespond(401);
  });

  test('the primary is used, and found again after a failover', async () => {
    const [first, second] = await startServers();
    const node = await startNodeOn([second, first], first);
    expect(await node.send(createPartner('Before'))).toRespond(201);
    await first.kill();
    expect(await node.send({ path: PARTNERS })).toRespond(503);
    await promote(second);
    await expect.poll(() => readiness(node)).toRespond(200);
    expect(await node.send({ path: PARTNERS })).toRespond(401);
  });
});
