/** On a Citus cluster only: records are read and created while their shards are moved and split. */

import { setTimeout } from 'node:timers/promises';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { partner } from '../../../../src/catalog/partner.ts';
import { id } from '../../../../src/catalog/resource.ts';
import { planCreate } from '../../../../src/plan/create.ts';
import { Problem } from '../../../../src/problem/problem.ts';
import type { Store } from '../../../../src/store/store.ts';
import { StoreUnavailable } from '../../../../src/store/store-error.ts';
import { nodeUrls } from '../../../support/cluster.ts';
import { makePostgresDatabase, openDatabase } from '../../../support/engines.ts';
import { exportedFile, NDJSON } from '../../../support/exports.ts';
import { addAccount, NOW } from '../../../support/fixture.ts';
import { queryOnce } from '../../../support/postgres-connection.ts';
import { rounds } from '../../../support/rounds.ts';

const server = inject('postgresUrl');
const nodes = await nodeUrls(server);

const ACCOUNTS = 4;

describe.skipIf(nodes.length < 3)('on a cluster', () => {
  test('no read misses an acknowledged create while shards are moved and split', { timeout: 900_000 }, async () => {
    const database = await makePostgresDatabase(server, inject('postgresTemplate'));
    onTestFinished(() => database.drop());
    const stores = [await openDatabase(database.url), await openDatabase(database.url)];
    onTestFinished(async () => {
      for (const store of stores) await store.close();
    });
    const [first, second] = stores;
    if (first === undefined || second === undefined) throw new Error('there are two');
    const accounts: number[] = [];
    for (let n = 0; n < ACCOUNTS; n += 1) accounts.push((await addAccount(first, `account-${n}`)).id);
    const seen = { created: 0, refused: 0, missed: 0 };
    let isMoving = true;
    const loads = accounts.map(async (account) => {
      let [writer, reader] = [first, second];
      const ids = new Set<number>();
      while (isMoving) {
        const created = await create(writer, account);
        if (created === 'refused') {
          seen.refused += 1;
          continue;
        }
        seen.created += 1;
        expect(ids).not.toContain(created);
        ids.add(created);
        if (!(await isVisible(reader, account, created))) seen.missed += 1;
        if (ids.size % 10 === 0 && (await exported(reader, account)) < ids.size) seen.missed += 1;
        [writer, reader] = [reader, writer];
        // The cluster needs some of the processor as well.
        await setTimeout(5);
      }
      return ids.size;
    });
    const shardOf = async (account: number) => {
      const [shard] = await queryOnce(
        database.url,
        `SELECT shardid, nodename, nodeport, shardminvalue::bigint AS min, shardmaxvalue::bigint AS max
          FROM citus_shards JOIN pg_dist_shard USING (shardid)
          WHERE shardid = get_shard_id_for_distribution_column('ledger', ${account}::bigint)`,
      );
      if (shard === undefined) throw new Error('the account has no shard');
      return shard;
    };
    const workerNodes = await queryOnce(
      database.url,
      'SELECT nodeid, nodename, nodeport FROM pg_dist_node WHERE groupid > 0',
    );
    const move = async (account: number, mode: string) => {
      const { shardid, nodename, nodeport } = await shardOf(account);
      const target = workerNodes.find((workerNode) => workerNode['nodeport'] !== nodeport);
      await whenCleanedUp(
        database.url,
        `SELECT citus_move_shard_placement(${shardid}, '${nodename}', ${nodeport}, '${target?.['nodename']}', ${target?.['nodeport']}, '${mode}')`,
      );
    };
    const split = async (account: number) => {
      const { shardid, min, max } = await shardOf(account);
      const middle = Math.floor((Number(min) + Number(max)) / 2);
      const halves = workerNodes.slice(0, 2).map((workerNode) => workerNode['nodeid']);
      await whenCleanedUp(
        database.url,
        `SELECT citus_split_shard_by_split_points(${shardid}, ARRAY['${middle}'], ARRAY[${halves.join(', ')}], 'force_logical')`,
      );
    };
    try {
      for (let round = 0; round < rounds(3, 20); round += 1) {
        for (const account of accounts.slice(0, 2))
          await move(account, round % 2 === 0 ? 'force_logical' : 'block_writes');
        if (round === 1) await split(accounts[0] ?? 0);
        // Back where it was, so that the tables exist there once more.
        await move(accounts[0] ?? 0, 'force_logical');
      }
    } finally {
      isMoving = false;
      await Promise.allSettled(loads);
    }
    const counts = await Promise.all(loads);
    expect(seen).toMatchObject({ missed: 0 });
    expect(seen.created).toBeGreaterThan(100);
    for (const [place, account] of accounts.entries())
      expect((await first.version(account))?.ledger.get('partner')?.rows).toBe(counts[place]);
    const direct = await Promise.all(
      nodes
        .slice(1)
        .map((node) =>
          queryOnce(
            node,
            `SELECT 1 FROM pg_stat_activity WHERE datname = '${new URL(database.url).pathname.slice(1)}' AND application_name = 'stockbook'`,
          ),
        ),
    );
    expect(direct.flat().length).toBeGreaterThan(0);
  });
});

/** The number of lines of an export. */
async function exported(store: Store, account: number): Promise<number> {
  return (await exportedFile(store, account, partner, NDJSON)).trim().split('\n').length;
}

/** Citus may be dropping the tables that the last move has left. */
async function whenCleanedUp(url: string, text: string): Promise<void> {
  for (;;) {
    try {
      await queryOnce(url, text);
      return;
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('could not be cleaned up'))) throw error;
    }
  }
}

/** The id, unless the account is busy: then nothing was created. */
async function create(store: Store, account: number): Promise<number | 'refused'> {
  const plan = planCreate(partner, { name: 'Ada' }, NOW);
  if (plan instanceof Problem) throw plan;
  try {
    const created = await store.records.create({ account }, plan);
    if (typeof created === 'string' || !('id' in created)) throw new Error(JSON.stringify(created));
    return created.id;
  } catch (error) {
    if (error instanceof StoreUnavailable && error.reason === 'busy') return 'refused';
    throw error;
  }
}

/** As a record, in the version of the account, and in a list. */
async function isVisible(store: Store, account: number, record: number): Promise<boolean> {
  const [found, version] = await Promise.all([
    store.records.find({ account }, { resource: partner, fields: [id], id: record }),
    store.version(account),
  ]);
  const ledger = version?.ledger.get('partner');
  if (typeof found === 'string' || found.kind !== 'found' || ledger === undefined || ledger.rows < record) return false;
  const order = [{ kind: 'field' as const, field: id, descending: true }];
  const plan = { resource: partner, fields: [id], where: undefined, order, page: 1, limit: 1 };
  const page = await store.records.list({ account }, plan, ledger);
  return page !== 'no access' && page.total >= record;
}
