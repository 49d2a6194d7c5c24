/** On a Citus cluster only: `STOCKBOOK_TEST_POSTGRES` names its coordinator, and all nodes are on this machine. */

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { issueKey } from '../../../../src/access/issue-key.ts';
import { partner } from '../../../../src/catalog/partner.ts';
import { product } from '../../../../src/catalog/product.ts';
import { DEFAULT_SCOPES } from '../../../../src/catalog/scopes.ts';
import type { Job } from '../../../../src/schedule/fair-queue.ts';
import type { Snapshot, SnapshotReads, Staging, WriteResult } from '../../../../src/store/engine/engine.ts';
import { ClusterEngine } from '../../../../src/store/postgres/cluster/engine.ts';
import {
  beginDistribution,
  createDistributedStaging,
  distributeTables,
  hasUndistributed,
} from '../../../../src/store/postgres/cluster/tables.ts';
import { clusterTopology } from '../../../../src/store/postgres/cluster/topology.ts';
import type { Connection } from '../../../../src/store/postgres/connection.ts';
import type { ConnectionProfile } from '../../../../src/store/postgres/connection-profiles.ts';
import { Primary } from '../../../../src/store/postgres/primary.ts';
import { type PostgresUrl, readPostgresUrl } from '../../../../src/store/postgres/url.ts';
import type { Row } from '../../../../src/store/sql/row.ts';
import type { Statement } from '../../../../src/store/sql/statement.ts';
import { sqlStore } from '../../../../src/store/sql-store.ts';
import { CacheBudget } from '../../../../src/store/state/cache.ts';
import type { Account, Store } from '../../../../src/store/store.ts';
import { startOnAnyPort } from '../../../support/any-port.ts';
import { joinNodes, nodeUrls } from '../../../support/cluster.ts';
import { makePostgresDatabase, onPostgres, openDatabase, type TestEngine } from '../../../support/engines.ts';
import { addAccount, load, NOW, products } from '../../../support/fixture.ts';
import { openWith } from '../../../support/fresh-database.ts';
import { queryOnce } from '../../../support/postgres-connection.ts';
import { uniqueName } from '../../../support/random.ts';
import { sendUnchecked, serveStore, startService } from '../../../support/service.ts';

const server = inject('postgresUrl');
const nodes = await nodeUrls(server);

const POOL = { poolSize: 4, statementTimeout: 20 };

const COORDINATOR = { role: 'coordinator' } as const;

describe.skipIf(nodes.length === 1)('on a cluster', () => {
  test('every statement of a request is routed to one shard, and so are those of an import', async () => {
    const database = await makePostgresDatabase(server, inject('postgresTemplate'));
    onTestFinished(() => database.drop());
    const engine = new RecordingEngine(addressOf(database.url), COORDINATOR.role, POOL);
    const budget = new CacheBudget(1024 * 1024);
    const store = sqlStore(engine, { name: 'test', origin: 'test' }, budget, {});
    const service = await serveStore(store, budget);
    onTestFinished(async () => {
      await service.close();
      await store.close();
    });
    const acme = await addAccount(store, 'acme');
    engine.take();
    const source = { name: 's', position: '1' };
    await load(store, acme, product, products, { import: { source }, idempotency: { key: 'k', fingerprint: 'f' } });
    await load(store, acme, product, products.slice(1), { import: {}, replace: true });
    await load(store, acme, product, [{ id: 2, name: 'Other' }], { existing: {} });
    const imports = engine.take();
    const headers = await credentials(store, acme);
    const path = `/api/v1/${product.path}`;
    for (const query of [
      '',
      '?page=2&limit=2',
      '?filter=list_price>5|name*"a"',
      '?sort=-name',
      '?filter=name*"bolt"',
      '/2',
    ])
      expect(await sendUnchecked(service.port, { path: `${path}${encodeURI(query)}`, headers })).toRespond(200);
    for (const suffix of ['/changes', '/aggregate?facets=categ_id', '?explain=true', '/digest'])
      expect(await sendUnchecked(service.port, { path: `${path}${suffix}`, headers })).toRespond(200);
    const ndjson = { ...headers, accept: 'application/x-ndjson' };
    expect(await sendUnchecked(service.port, { path, headers: ndjson })).toRespond(200);
    for (const key of [{}, { 'idempotency-key': '"a"' }, { 'idempotency-key': '"a"' }]) {
      const created = { 'content-type': 'application/json', ...headers, ...key };
      const body = '{"name":"Ada"}';
      const reply = await sendUnchecked(service.port, {
        method: 'POST',
        path: `/api/v1/${partner.path}`,
        headers: created,
        body,
      });
      expect(reply).toRespond(201);
    }
    const requests = engine.take();
    expect(requests.size).toBeGreaterThan(15);
    const connection = await connectTo(database.url, 'slow');
    const drop = await createDistributedStaging(connection, COORDINATOR, 'incoming_product', engine.staging);
    onTestFinished(drop);
    const unrouted: string[] = [];
    for (const { text, parameters } of [...requests.values(), ...imports.values()]) {
      // The audit trail is on the coordinator.
      if (text.startsWith('INSERT INTO audit_entry')) continue;
      const rows = await connection.query(`EXPLAIN (COSTS OFF) ${text}`, parameters);
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      if (
        !/Task Count: 1\n/.test(plan) ||
        /Task Count: (?:\d\d|[^1])|Distributed Subplan|pull to coordinator/.test(plan)
      )
        unrouted.push(`${text}\n${plan}`);
    }
    expect(unrouted).toEqual([]);
  });

  test('Stockbook on a worker node serves, but does not migrate, and says so', async () => {
    const database = await makePostgresDatabase(server);
    onTestFinished(() => database.drop());
    const [coordinator = '', workerNode = ''] = nodes.map((node) =>
      node.replace(/[^/]*$/, database.url.split('/').at(-1) ?? ''),
    );
    await expect(openDatabase(workerNode)).rejects.toThrow('Only the coordinator migrates');
    await (await openDatabase(coordinator)).close();
    const store = await openDatabase(workerNode);
    onTestFinished(() => store.close());
    const acme = await addAccount(store, 'acme');
    expect(await store.version(acme.id)).toBeDefined();
    await expect(load(store, acme, product, products)).rejects.toThrow('Import with the address of the coordinator');
  });

  test('a database that was not distributed becomes so when the extension is added, and keeps what it has', async () => {
    const name = uniqueName('test_');
    const urls = nodes.map((node) => node.replace(/[^/]*$/, name));
    for (const node of nodes) await onPostgres(node, `CREATE DATABASE ${name} TEMPLATE template0`);
    onTestFinished(async () => {
      for (const node of nodes) await onPostgres(node, `DROP DATABASE ${name} WITH (FORCE)`);
    });
    const [url = ''] = urls;
    const before = await openDatabase(url);
    const acme = await addAccount(before, 'acme');
    await load(before, acme, product, products, { import: {} });
    await before.close();
    await joinNodes(urls);
    const store = await openDatabase(url);
    onTestFinished(() => store.close());
    expect((await store.version(acme.id))?.ledger.get('product')?.rows).toBe(products.length);
    await load(store, acme, product, products.slice(1), { import: {}, replace: true });
    const actions: string[] = [];
    for await (const entries of store.audit.entries({})) actions.push(...entries.map(({ action }) => action));
    expect(actions).toEqual(['account added', 'records imported', 'records imported']);
  });

  test('tables that a later version adds are distributed as their primary keys say', async () => {
    const database = await makePostgresDatabase(server, inject('postgresTemplate'));
    onTestFinished(() => database.drop());
    const connection = await connectTo(database.url, 'migration');
    await beginDistribution(connection);
    await connection.query('ALTER TABLE product ADD COLUMN weight double precision');
    await connection.query(
      'CREATE TABLE task (account_id bigint NOT NULL REFERENCES account (id), id bigint NOT NULL, PRIMARY KEY (account_id, id))',
    );
    await connection.query('CREATE TABLE region (id bigint PRIMARY KEY)');
    expect(await hasUndistributed(connection, ['ledger', 'task', 'region'])).toBe(true);
    await distributeTables(connection, ['ledger', 'task', 'region']);
    await connection.query('COMMIT');
    expect(await hasUndistributed(connection, ['ledger', 'task', 'region'])).toBe(false);
    const placed = await connection.query(
      `SELECT table_name::text, citus_table_type, colocation_id = (SELECT colocation_id FROM citus_tables WHERE table_name = 'ledger'::regclass) AS is_with_ledger
        FROM citus_tables WHERE table_name IN ('task'::regclass, 'region'::regclass) ORDER BY 1`,
    );
    expect(placed).toEqual([
      { table_name: 'region', citus_table_type: 'reference', is_with_ledger: 'f' },
      { table_name: 'task', citus_table_type: 'distributed', is_with_ledger: 't' },
    ]);
  });

  test('what a killed import leaves is dropped by the next one, unless it is still in use', async () => {
    const database = await makePostgresDatabase(server, inject('postgresTemplate'));
    onTestFinished(() => database.drop());
    const stage = async () => {
      const connection = await connectTo(database.url, 'write');
      await createDistributedStaging(connection, COORDINATOR, 'incoming', ['account_id bigint']);
      const [row] = await connection.query('SELECT current_schema() AS name');
      return { connection, schema: row?.['name'] };
    };
    const [killed, running] = [await stage(), await stage()];
    const { connection, schema } = running;
    const [shards] = await connection.query(
      `SELECT DISTINCT result FROM run_command_on_shards('${schema}.incoming', 'SELECT relreplident FROM pg_class WHERE oid = ''%s''::regclass')`,
    );
    expect(shards?.['result']).toBe('f');
    await killed.connection.close();
    const store = await openDatabase(database.url);
    onTestFinished(() => store.close());
    await load(store, await addAccount(store, 'acme'), product, products);
    const left = await running.connection.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'stockbook%'");
    expect(left.map((row) => row['nspname'])).toEqual([running.schema]);
  });

  test('a worker node that gets another address is read and written there', async () => {
    const database = await makePostgresDatabase(server, inject('postgresTemplate'));
    onTestFinished(() => database.drop());
    const store = await openDatabase(database.url);
    onTestFinished(() => store.close());
    const [, first = ''] = nodes;
    const port = Number(new URL(first).port);
    const link = await startLink(port);
    onTestFinished(() => link.cut());
    const { id } = await addAccount(store, 'acme');
    const [shard] = await queryOnce(
      database.url,
      `SELECT shardid, nodename, nodeport FROM citus_shards
        WHERE shardid = get_shard_id_for_distribution_column('ledger', ${id}::bigint)`,
    );
    if (shard?.['nodeport'] !== port)
      await queryOnce(
        database.url,
        `SELECT citus_move_shard_placement(${shard?.['shardid']}, '${shard?.['nodename']}', ${shard?.['nodeport']}, '127.0.0.1', ${port})`,
      );
    expect(await store.version(id)).toBeDefined();
    await queryOnce(
      database.url,
      `SELECT citus_update_node(nodeid, '127.0.0.1', ${link.port}) FROM pg_dist_node WHERE nodeport = ${port}`,
    );
    const isDirect = async () => {
      expect(await store.version(id)).toBeDefined();
      const backends = await queryOnce(
        database.url.replace(/:\d+\//, `:${port}/`),
        "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'stockbook'",
      );
      return backends.some(({ query }) => String(query).startsWith('SELECT * FROM (')) && link.connections > 0;
    };
    await expect.poll(isDirect).toBe(true);
    await load(store, { id }, product, products);
    expect((await store.version(id))?.ledger.get('product')?.rows).toBe(products.length);
  });

  test('a worker node that cannot be connected to from here is used through the node, which is reported', async () => {
    const [, first = ''] = nodes;
    const { port } = new URL(first);
    const link = await startLink(Number(port), (startup) => startup.includes('application_name\0stockbook\0'));
    onTestFinished(() => link.cut());
    const database = await makePostgresDatabase(server, 'template0', (workerNode) =>
      workerNode.replace(`:${port}/`, `:${link.port}/`),
    );
    onTestFinished(() => database.drop());
    const reported = new Set<string>();
    const store = await openWith(database.url, { onIndirect: (workerNode) => reported.add(workerNode) });
    onTestFinished(() => store.close());
    const rows: unknown[] = [];
    for (let count = 0; count < 12; count += 1) {
      const account = await addAccount(store, `account-${count}`);
      await load(store, account, product, products);
      rows.push((await store.version(account.id))?.ledger.get('product')?.rows);
    }
    expect(new Set(rows)).toEqual(new Set([products.length]));
    expect([...reported]).toEqual([`127.0.0.1:${link.port}`]);
  });

  describe.each([
    { what: 'refuses connections', lose: (link: Link) => link.cut() },
    { what: 'does not respond', lose: (link: Link) => link.freeze() },
  ])('a worker node that $what', ({ lose }) => {
    test('affects only its own accounts, and readiness says so', async () => {
      const { service, link, lost, kept } = await startLinked();
      const create = { method: 'POST', body: '{"name":"Ada"}' };
      const request = (account: LinkedAccount, isCreate: boolean) =>
        sendUnchecked(service.port, {
          path: `/api/v1/${partner.path}`,
          headers: { ...account.headers, ...(isCreate && { 'content-type': 'application/json' }) },
          ...(isCreate && create),
        });
      const all = (accounts: readonly LinkedAccount[]) =>
        Promise.all(
          Array.from({ length: 10 }, () => accounts)
            .flat()
            .map((account, index) => request(account, index % 3 === 0)),
        );
      const statuses = (replies: readonly { readonly status: number }[]) =>
        new Set(replies.map(({ status }) => status));
      expect(statuses(await all([...lost, ...kept]))).toEqual(new Set([200, 201]));
      const ready = async () => (await sendUnchecked(service.adminPort, { path: '/health/ready' })).json;
      expect(await ready()).toEqual({ status: 'ok', ready: 1, workers: 1 });

      lose(link);
      // What reads from all worker nodes must not delay anybody either.
      const reading = Promise.allSettled([
        ready(),
        service.store.accounts.overview(['account-0']),
        service.store.records.prune(NOW),
      ]);
      let isAnswered = false;
      const ofLost = all(lost).finally(() => {
        isAnswered = true;
      });
      const newcomers = kept.map((account) => ({ ...account, headers: account.unused }));
      expect(statuses(await all(newcomers))).toEqual(new Set([200, 201]));
      if (link.isFrozen) expect(isAnswered).toBe(false);
      await reading;
      // A process that starts now serves them too.
      const other = await openDatabase(service.database.url);
      onTestFinished(() => other.close());
      expect(await other.accounts.isEmpty()).toBe(false);
      for (const { id } of kept) expect(await other.version(id)).toBeDefined();
      const answers = await ofLost;
      expect(statuses(answers)).toEqual(new Set([503]));
      expect(answers.map(({ headers }) => headers['retry-after'])).not.toContain(undefined);
      expect(statuses(await all(kept))).toEqual(new Set([200, 201]));
      expect(await ready()).toEqual({
        status: 'ok',
        ready: 1,
        workers: 1,
        unreachable: [`127.0.0.1:${link.port}`],
      });

      await link.restore();
      await expect.poll(async () => statuses(await all(lost))).toEqual(new Set([200, 201]));
      await expect.poll(ready).toEqual({ status: 'ok', ready: 1, workers: 1 });
    });
  });
});

function addressOf(url: string): PostgresUrl {
  const address = readPostgresUrl(url);
  if (address === undefined) throw new Error(`${url} is not a URL`);
  return address;
}

/** Closed at the end of the test. */
async function connectTo(url: string, profile: ConnectionProfile): Promise<Connection> {
  const primary = new Primary(addressOf(url), clusterTopology(COORDINATOR), POOL);
  onTestFinished(() => primary.close());
  const connection = await primary.run((found) => found.open(profile));
  onTestFinished(() => connection.close());
  return connection;
}

interface LinkedAccount {
  readonly id: number;
  readonly headers: Readonly<Record<string, string>>;
  /** With a key that no request has used yet. */
  readonly unused: Readonly<Record<string, string>>;
  readonly isLinked: boolean;
}

/** A service whose other nodes reach the first worker node through a link, with accounts on either side. */
async function startLinked() {
  const [, first = ''] = nodes;
  const { port } = new URL(first);
  const link = await startLink(Number(port));
  onTestFinished(() => link.cut());
  const makeLinked = () =>
    makePostgresDatabase(server, 'template0', (workerNode) => workerNode.replace(`:${port}/`, `:${link.port}/`));
  const engine: TestEngine = { name: 'PostgreSQL', makeDatabase: makeLinked, makeMigrated: makeLinked };
  const service = await startService(engine);
  onTestFinished(() => service.close());
  const accounts: LinkedAccount[] = [];
  for (let count = 0; count < 12; count += 1) {
    const account = await addAccount(service.store, `account-${count}`);
    const [shard] = await queryOnce(
      service.database.url,
      `SELECT nodeport FROM citus_shards
      WHERE shardid = get_shard_id_for_distribution_column('ledger', ${account.id}::bigint)`,
    );
    accounts.push({
      id: account.id,
      headers: await credentials(service.store, account),
      unused: await credentials(service.store, account),
      isLinked: shard?.['nodeport'] === link.port,
    });
  }
  const lost = accounts.filter(({ isLinked }) => isLinked);
  const kept = accounts.filter(({ isLinked }) => !isLinked);
  expect([lost.length > 0, kept.length > 0]).toEqual([true, true]);
  return { service, link, lost, kept };
}

/** The headers of a request with a key of the account. */
async function credentials(store: Store, account: Account) {
  const terms = { name: 'test', scopes: DEFAULT_SCOPES, createdAt: NOW, expiresAt: null, rateLimit: null };
  const key = await issueKey(store.keys, { account: account.id, ...terms });
  return { host: `${account.name}.localhost`, authorization: `Bearer ${key}` };
}

/** Remembers the statements that ran, one of each text. */
class RecordingEngine extends ClusterEngine {
  #statements = new Map<string, Statement>();
  staging: Parameters<typeof createDistributedStaging>[3] = [];

  /** Those since the last call. */
  take(): ReadonlyMap<string, Statement> {
    const taken = this.#statements;
    this.#statements = new Map();
    return taken;
  }

  override reserved(statement: Statement, account?: number): Promise<readonly Row[]> {
    this.#add(statement);
    return super.reserved(statement, account);
  }

  override fast(job: Job, statement: Statement): Promise<readonly Row[]> {
    this.#add(statement);
    return super.fast(job, statement);
  }

  override slow<Result>(job: Job, body: (snapshot: SnapshotReads) => Promise<Result>): Promise<Result> {
    return super.slow(job, (snapshot) => body(this.#recorded(snapshot)));
  }

  override async stream(job: Job): Promise<Snapshot> {
    const snapshot = await super.stream(job);
    return { ...this.#recorded(snapshot), close: snapshot.close };
  }

  override write(statements: readonly Statement[], account?: number): Promise<WriteResult> {
    for (const statement of statements) this.#add(statement);
    return super.write(statements, account);
  }

  override load(
    staging: Staging,
    statements: () => Promise<readonly Statement[]>,
    account: number,
  ): Promise<WriteResult> {
    this.staging = staging.columns.map(({ name, storage }) => `${name} ${this.dialect.columnTypes[storage]}`);
    const recorded = async () => {
      const all = await statements();
      for (const statement of all) this.#add(statement);
      return all;
    };
    return super.load(staging, recorded, account);
  }

  #recorded({ read, lines }: SnapshotReads): SnapshotReads {
    return {
      read: (statement) => {
        this.#add(statement);
        return read(statement);
      },
      lines: (statement) => {
        this.#add(statement);
        return lines(statement);
      },
    };
  }

  #add(statement: Statement): void {
    this.#statements.set(statement.text, statement);
  }
}

type Link = Awaited<ReturnType<typeof startLink>>;

/**
 * A port that leads to another one, until it is cut, or frozen: then it accepts connections, and nothing gets through. Connections whose first bytes
 * are refused are closed.
 */
async function startLink(target: number, isRefused: (startup: string) => boolean = () => false) {
  const sockets = new Set<Socket>();
  let isFrozen = false;
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const listener = createServer((socket) => {
    keep(socket);
    if (isFrozen) return;
    const onward = connect(target, '127.0.0.1');
    keep(onward);
    onward.pipe(socket);
    socket.once('data', (startup) => {
      if (isRefused(startup.toString('latin1'))) return socket.destroy();
      onward.write(startup);
      return socket.pipe(onward);
    });
  });
  const listen = async (port: number) => {
    listener.listen(port, '127.0.0.1');
    await once(listener, 'listening');
  };
  const port = await startOnAnyPort((chosen) =>
    listen(chosen).then(
      () => true,
      () => false,
    ),
  );
  const disconnect = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    get connections() {
      return sockets.size;
    },
    get isFrozen() {
      return isFrozen;
    },
    cut() {
      listener.close();
      disconnect();
    },
    freeze() {
      isFrozen = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    async restore() {
      isFrozen = false;
      disconnect();
      if (!listener.listening) await listen(port);
    },
  };
}
