/**
 * Statements that are sent straight to a worker node of a cluster. The server of the tests plays the worker node: its tables are named like those of a shard, and it
 * has the metadata that Citus would keep. `cluster/engine.test.ts` has tests on a real one.
 */

import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { partner } from '../../../../src/catalog/partner.ts';
import { product } from '../../../../src/catalog/product.ts';
import { NO_DEADLINE } from '../../../../src/schedule/deadline.ts';
import type { Job } from '../../../../src/schedule/fair-queue.ts';
import { NO_ACCOUNT } from '../../../../src/store/account-id.ts';
import type { Snapshot, SnapshotReads, WriteResult } from '../../../../src/store/engine/engine.ts';
import { clusterDialect } from '../../../../src/store/postgres/cluster/dialect.ts';
import { DirectWorkerNode, type Unavailable } from '../../../../src/store/postgres/cluster/direct-worker-node.ts';
import { type Placement, Placements } from '../../../../src/store/postgres/cluster/placements.ts';
import { Shard } from '../../../../src/store/postgres/cluster/shard.ts';
import { WorkerNodeLink, type WorkerNodeLinkOptions } from '../../../../src/store/postgres/cluster/worker-node-link.ts';
import { PostgresEngine } from '../../../../src/store/postgres/engine.ts';
import { Primary } from '../../../../src/store/postgres/primary.ts';
import { expectedTables } from '../../../../src/store/postgres/schema-check.ts';
import { SERVER_IDENTITY } from '../../../../src/store/postgres/server-identity.ts';
import { SINGLE_SERVER } from '../../../../src/store/postgres/single-server.ts';
import { type Host, type PostgresUrl, readPostgresUrl } from '../../../../src/store/postgres/url.ts';
import type { Row } from '../../../../src/store/sql/row.ts';
import type { Statement } from '../../../../src/store/sql/statement.ts';
import { sqlStore } from '../../../../src/store/sql-store.ts';
import { CacheBudget } from '../../../../src/store/state/cache.ts';
import { makeKey } from '../../../support/account-key.ts';
import { evaluate, makePostgresDatabase } from '../../../support/engines.ts';
import { products } from '../../../support/fixture.ts';
import { bearer, sendUnchecked, serveStore } from '../../../support/service.ts';

const COPIED = ['account', 'api_key', 'counter', 'generation', 'migration'];
const POOL = { poolSize: 4, statementTimeout: 20 };

describe('a statement on the tables of a shard', () => {
  const shard = new Shard(7, {
    distributed: new Map([
      ['ledger', 'ledger_7'],
      ['ledger_history', 'ledger_history_8'],
    ]),
    copied: new Map([['account', 'account_1']]),
    known: ['ledger', 'ledger_history', 'account', 'audit_entry'],
  });
  const onShard = (text: string) => shard.statement({ text, parameters: [] }).text;

  test.each([
    ['SELECT ledger.rows FROM ledger', 'SELECT ledger.rows FROM ledger_7 AS ledger'],
    ['SELECT 1 FROM ledger, (SELECT 2) AS page', 'SELECT 1 FROM ledger_7 AS ledger, (SELECT 2) AS page'],
    ['SELECT 1 FROM ledger_history AS past', 'SELECT 1 FROM ledger_history_8 AS past'],
    [
      'SELECT 1 FROM account LEFT JOIN ledger ON 1 = 1',
      'SELECT 1 FROM account_1 AS account LEFT JOIN ledger_7 AS ledger ON 1 = 1',
    ],
    ['UPDATE ledger SET rows = 1', 'UPDATE ledger_7 AS ledger SET rows = 1'],
    ['INSERT INTO ledger (rows) SELECT 1', 'INSERT INTO ledger_7 AS ledger (rows) SELECT 1'],
    ['DELETE FROM ledger WHERE ledger.rows = 1', 'DELETE FROM ledger_7 AS ledger WHERE ledger.rows = 1'],
    ['WITH found AS (SELECT 1) SELECT 1 FROM found', 'WITH found AS (SELECT 1) SELECT 1 FROM found'],
    ['SELECT 1 IS DISTINCT FROM ledger.rows', 'SELECT 1 IS DISTINCT FROM ledger.rows'],
    ['SELECT 1 FROM ledger(2)', 'SELECT 1 FROM ledger(2)'],
  ])('%s', (text, expected) => {
    expect(onShard(text)).toBe(expected);
  });

  test('that is not on worker nodes is a mistake', () => {
    expect(() => onShard('SELECT 1 FROM audit_entry')).toThrow('audit_entry is not on the worker nodes');
  });

  test.each([
    ['UPDATE ledger SET rows = 1', true],
    ['INSERT INTO ledger_history (began) SELECT 1', true],
    ['DELETE FROM ledger', true],
    ['UPDATE account SET access = 1', false],
    ['INSERT INTO audit_entry (at) SELECT 1 FROM ledger', false],
    ['SELECT 1 FROM ledger', false],
  ])('writes to the shard and nothing else: %s', (text, expected) => {
    expect(shard.isWrite(text)).toBe(expected);
  });
});

describe.skipIf(inject('isCluster'))('a worker node', () => {
  test('runs every statement of a request on the tables of its shard', async () => {
    const { account, key, workerNode, placement, node } = await playWorker();
    await isConnected(workerNode, placement);
    const budget = new CacheBudget(1024 * 1024);
    const store = sqlStore(new ShardEngine(node, workerNode, placement), { name: 'test', origin: 'test' }, budget, {});
    const service = await serveStore(store, budget);
    onTestFinished(() => service.close());
    const headers = bearer(key);
    const path = `/api/v1/${product.path}`;
    const queries = ['', '?page=2&limit=2', '?filter=list_price>5|name*"a"', '?sort=-name', '?filter=name*"oak"', '/2'];
    for (const query of [...queries, '/changes', '/aggregate?facets=categ_id', '?explain=true', '/digest'])
      expect(await sendUnchecked(service.port, { path: `${path}${encodeURI(query)}`, headers })).toRespond(200);
    const ndjson = { ...headers, accept: 'application/x-ndjson' };
    const lines = (await sendUnchecked(service.port, { path, headers: ndjson })).text.trim().split('\n');
    expect(lines).toHaveLength(products.length);
    for (const idempotency of [{}, { 'idempotency-key': '"a"' }, { 'idempotency-key': '"a"' }]) {
      const created = { 'content-type': 'application/json', ...headers, ...idempotency };
      const request = { method: 'POST', path: `/api/v1/${partner.path}`, headers: created, body: '{"name":"Ada"}' };
      expect(await sendUnchecked(service.port, request)).toRespond(201);
    }
    expect((await store.version(account))?.ledger.get('partner')?.rows).toBe(2);
  });

  describe.each([
    { what: 'has lost its shard', change: 'UPDATE pg_dist_placement SET groupid = 2' },
    { what: 'is still getting its shard', change: 'UPDATE pg_dist_placement SET shardstate = 4' },
    { what: 'has dropped its shard', change: 'DROP TABLE ledger_history_shard, ledger_shard' },
    { what: 'was replaced by another server', change: "UPDATE pg_dist_node SET nodename = 'other'" },
  ])('that $what', ({ change }) => {
    test('is neither read nor written', async () => {
      const { database, account, workerNode, placement } = await playWorker();
      await isConnected(workerNode, placement);
      const job = { account, cost: 1, deadline: NO_DEADLINE };
      const written = async () => (await workerNode.write(placement, [WRITE])) !== 'unavailable';
      const results = async () => ({
        reserved: (await workerNode.reserved(placement, READ)) !== 'unavailable',
        fast: (await workerNode.fast(placement, job, READ)) !== 'unavailable',
        slow: (await workerNode.slow(placement, job, ({ read }) => read(READ))) !== 'unavailable',
        stream: await streams(workerNode, placement, job),
        write: await written(),
      });
      const all = (expected: boolean) =>
        Object.fromEntries(['reserved', 'fast', 'slow', 'stream', 'write'].map((name) => [name, expected]));
      expect(await results()).toEqual(all(true));
      await database.execute(change);
      await expect.poll(results).toEqual(all(false));
    });
  });

  test('that the last generation does not name is read, but not written', async () => {
    const { database, workerNode, placement } = await playWorker();
    await database.execute("UPDATE generation_shard SET server = '1:another'");
    await isConnected(workerNode, placement);
    expect(await workerNode.reserved(placement, READ)).not.toBe('unavailable');
    expect(await workerNode.write(placement, [WRITE])).toBe('unavailable');
  });

  test('that is lost while it is read is a part of the database, not all of it', async () => {
    const { database, account, workerNode, placement } = await playWorker();
    await isConnected(workerNode, placement);
    const job = { account, cost: 1, deadline: NO_DEADLINE };
    const lost = { reason: 'partly unreachable' };
    const reading = workerNode.slow(placement, job, async ({ read }) => {
      await read(READ);
      await database.execute(TERMINATE_OTHERS);
      return read(READ);
    });
    await expect(reading).rejects.toMatchObject(lost);
    // The first attempts afterwards may still use connections that were closed, and then go through the node.
    await isConnected(workerNode, placement);
    const snapshot = await workerNode.stream(placement, job);
    if (snapshot === 'unavailable') throw new Error('the worker node is unavailable');
    await database.execute(TERMINATE_OTHERS);
    await expect(snapshot.read(READ)).rejects.toMatchObject(lost);
    await snapshot.close();
  });

  test('of a node that is read-only is read, but not written', async () => {
    const { database, workerNode, placement } = await playWorker();
    await isConnected(workerNode, placement);
    expect(await workerNode.write(placement, [WRITE])).not.toBe('unavailable');
    const name = new URL(database.url).pathname.slice(1);
    await database.execute(`ALTER DATABASE ${name} SET default_transaction_read_only = on`, TERMINATE_OTHERS);
    await expect.poll(() => workerNode.reserved(placement, READ).catch(() => undefined)).toEqual([{ one: '1' }]);
    await expect.poll(() => workerNode.write(placement, [WRITE]).catch(() => undefined)).toBe('unavailable');
  });

  test('whose tables belong to another role is read, but not written', async () => {
    const { database, workerNode, placement } = await playWorker();
    await isConnected(workerNode, placement);
    await database.execute(`CREATE OR REPLACE FUNCTION lock_shard_metadata(mode int, shards bigint[]) RETURNS void LANGUAGE plpgsql
      AS $$ BEGIN RAISE insufficient_privilege; END $$`);
    expect(await workerNode.write(placement, [WRITE])).toBe('unavailable');
    expect(await workerNode.reserved(placement, READ)).not.toBe('unavailable');
  });

  test.each([
    {
      what: 'cannot be reached from here',
      options: (url: PostgresUrl) => ({ host: { host: '127.0.0.1', port: 1 }, url }),
      reason: /ECONNREFUSED/,
    },
    {
      what: 'has a name that is unknown here',
      options: (url: PostgresUrl) => ({ host: { host: 'worker.invalid', port: 1 }, url }),
      reason: /worker\.invalid/,
    },
    {
      what: 'has no certificate',
      options: (url: PostgresUrl) => ({ url: { ...url, sslMode: 'verify-full' as const } }),
      reason: /SSL/,
    },
    {
      what: 'is another server than the one that the node reaches',
      options: () => ({ expectedIdentity: async () => 'another' }),
      reason: /leads to another server/,
    },
  ])('that $what is not used, and the reason is reported', async ({ options, reason }) => {
    const reported: string[] = [];
    const onUnusable = (text: string) => reported.push(text);
    const { workerNode, placement } = await playWorker((url) => ({ ...options(url), onUnusable }));
    await expect
      .poll(async () => {
        expect(await workerNode.reserved(placement, READ)).toBe('unavailable');
        return reported;
      })
      .toEqual([expect.stringMatching(reason)]);
  });
});

const READ: Statement = { text: 'SELECT 1 AS one FROM ledger LIMIT 1', parameters: [] };
const WRITE: Statement = { text: 'UPDATE ledger SET rows = rows', parameters: [] };

/** Connections that exist keep their settings. */
const TERMINATE_OTHERS =
  'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()';

/** The first connection is opened in the background. */
async function isConnected(workerNode: DirectWorkerNode, placement: Placement): Promise<void> {
  await expect.poll(() => workerNode.reserved(placement, READ)).toEqual([{ one: '1' }]);
}

async function streams(workerNode: DirectWorkerNode, placement: Placement, job: Job): Promise<boolean> {
  const snapshot = await workerNode.stream(placement, job);
  if (snapshot === 'unavailable') return false;
  const rows = await snapshot.read(READ);
  await snapshot.close();
  return rows.length === 1;
}

interface LinkChanges extends Partial<WorkerNodeLinkOptions> {
  readonly host?: Host;
}

/** A server that is a node and its worker node, with an account whose tables are those of a shard. */
async function playWorker(change: (url: PostgresUrl) => LinkChanges = () => ({})) {
  const database = await makePostgresDatabase(inject('postgresUrl'), inject('postgresTemplate'));
  onTestFinished(() => database.drop());
  const url = readPostgresUrl(database.url);
  const [host] = url?.hosts ?? [];
  if (url === undefined || host === undefined) throw new Error('the URL is invalid');
  const key = await makeKey(database.url, { records: [[product, products]] });
  const account = Number(await evaluate(database.url, '(SELECT id FROM account)'));
  const shardOf = (tables: readonly string[]) => new Map(tables.map((table) => [table, `${table}_shard`]));
  const tables = expectedTables().filter((table) => table !== 'audit_entry');
  const shard = new Shard(7, {
    distributed: shardOf(tables.filter((table) => !COPIED.includes(table))),
    copied: shardOf(COPIED),
    known: [],
  });
  await database.execute(
    'CREATE TABLE pg_dist_placement AS SELECT 7 AS shardid, 1 AS shardstate, 1 AS groupid',
    'CREATE TABLE pg_dist_local_group AS SELECT 1 AS groupid',
    `CREATE TABLE pg_dist_node AS SELECT 1 AS nodeid, 1 AS groupid, '${host.host}' AS nodename, ${host.port} AS nodeport, 'primary' AS noderole`,
    "CREATE FUNCTION lock_shard_metadata(mode int, shards bigint[]) RETURNS void LANGUAGE sql AS ''",
    `UPDATE generation SET server = '1:' || ${SERVER_IDENTITY} || '/' || 'generation'::regclass::oid`,
    ...tables.map((table) => `ALTER TABLE ${table} RENAME TO ${table}_shard`),
    // The distributed table, by which a node finds the generation.
    'CREATE VIEW generation AS SELECT * FROM generation_shard',
    `UPDATE generation_shard SET server = '1:' || ${SERVER_IDENTITY} || '/' || 'generation'::regclass::oid`,
  );
  const node = new Primary(url, SINGLE_SERVER, POOL);
  const identity = String(await evaluate(database.url, SERVER_IDENTITY));
  const options: WorkerNodeLinkOptions = { ...POOL, url, expectedIdentity: async () => identity };
  const { host: linked = host, ...changes } = change(url);
  const link = new WorkerNodeLink(linked, { ...options, ...changes });
  const placements = new Placements(new PostgresEngine(node, POOL));
  const workerNode = new DirectWorkerNode(link, placements, POOL);
  onTestFinished(async () => {
    await workerNode.engine.close();
    await node.close();
  });
  const placement: Placement = { account, workerNode: 1, host, shard };
  return { database, account, key, workerNode, placement, node };
}

/** Everything goes to the worker node; what is about no account as it would on a node. */
class ShardEngine extends PostgresEngine {
  override readonly dialect = clusterDialect;
  readonly #workerNode: DirectWorkerNode;
  readonly #placement: Placement;

  constructor(node: Primary, workerNode: DirectWorkerNode, placement: Placement) {
    super(node, POOL);
    this.#workerNode = workerNode;
    this.#placement = placement;
  }

  override async reserved(statement: Statement, about = NO_ACCOUNT): Promise<readonly Row[]> {
    if (about === NO_ACCOUNT) return super.reserved(this.#placement.shard.statement(statement));
    return available(await this.#workerNode.reserved(this.#placement, statement));
  }

  override async fast(job: Job, statement: Statement): Promise<readonly Row[]> {
    return available(await this.#workerNode.fast(this.#placement, job, statement));
  }

  override async slow<Result>(job: Job, body: (snapshot: SnapshotReads) => Promise<Result>): Promise<Result> {
    return available(await this.#workerNode.slow(this.#placement, job, body));
  }

  override async stream(job: Job): Promise<Snapshot> {
    return available(await this.#workerNode.stream(this.#placement, job));
  }

  override async write(statements: readonly Statement[], account = NO_ACCOUNT): Promise<WriteResult> {
    if (account === NO_ACCOUNT)
      return super.write(statements.map((statement) => this.#placement.shard.statement(statement)));
    return available(await this.#workerNode.write(this.#placement, statements));
  }
}

function available<Result>(result: Result | Unavailable): Result {
  if (result === 'unavailable') throw new Error('the worker node is unavailable');
  return result;
}
