/** Where the shards of a cluster are, according to the node. */

import type { AccountId } from '../../account-id.ts';
import { Batcher } from '../../engine/batcher.ts';
import type { Engine } from '../../engine/engine.ts';
import { integerOf, type Row, textOf } from '../../sql/row.ts';
import { StoreUnavailable } from '../../store-error.ts';
import { expectedTables } from '../schema-check.ts';
import { addressOf, type Host } from '../url.ts';
import type { WorkerNode } from './node.ts';
import { Shard } from './shard.ts';

/** How long the placement of an account is cached, in milliseconds. Every use of it is confirmed. */
const MAX_AGE = 10_000;

/**
 * For how long the node's word on the addresses of worker nodes is taken, in milliseconds. A server that was replaced, and is still running, is read for as
 * long. Nothing can have been written to the new one by then: connecting to it takes as long.
 */
const CONFIRMED_FOR = 10;

/** The maximum number of lookups of a placement that keeps changing. */
const MAX_ATTEMPTS = 5;

/** The shard of an account, and where it is. */
export interface Placement {
  readonly account: AccountId;
  readonly workerNode: WorkerNode;
  readonly host: Host;
  readonly shard: Shard;
}

export class Placements {
  /** The engine for what is about no account. */
  readonly #node: Pick<Engine, 'reserved' | 'clock'>;
  /** By account. */
  readonly #placements = new Map<AccountId, Promise<Placement>>();
  /** By number. The tables of a shard never change: one that is split, or whose tables are distributed again, has another number. */
  readonly #shards = new Map<number, Promise<Shard>>();
  readonly #confirmations: Batcher<WorkerNode, string | undefined>;
  #addresses: ReadonlyMap<WorkerNode, string> = new Map();
  #isReadOnly = false;
  #confirmedUntil = Number.NEGATIVE_INFINITY;
  #rememberedSince = Number.NEGATIVE_INFINITY;

  constructor(node: Pick<Engine, 'reserved' | 'clock'>) {
    this.#node = node;
    // A request never joins one that is running: that may be older than the request.
    this.#confirmations = new Batcher({
      run: async (workerNodes) => {
        const until = node.clock.monotonic() + CONFIRMED_FOR;
        this.#addresses = await this.#findAddresses();
        this.#confirmedUntil = until;
        return workerNodes.map((workerNode) => ({ result: this.#addresses.get(workerNode) }));
      },
    });
  }

  /** As it was found up to ten seconds ago. */
  of(account: AccountId): Promise<Placement> {
    const now = this.#node.clock.monotonic();
    if (now - this.#rememberedSince > MAX_AGE) {
      this.#placements.clear();
      this.#rememberedSince = now;
    }
    const known = this.#placements.get(account);
    if (known !== undefined) return known;
    const found = this.#find(account);
    found.catch(() => this.#placements.delete(account));
    this.#placements.set(account, found);
    return found;
  }

  /** Whether the node still uses the worker node at this address. A server that was replaced may not know it. */
  async confirm({ workerNode, host }: Placement): Promise<boolean> {
    const isKnown = this.#node.clock.monotonic() <= this.#confirmedUntil;
    const address = isKnown ? this.#addresses.get(workerNode) : await this.#confirmations.add(workerNode);
    return address === addressOf(host);
  }

  /** Whether the node did not accept writes when it confirmed something last. Then nothing is to be written to the worker nodes either. */
  get isReadOnly(): boolean {
    return this.#isReadOnly;
  }

  /** It is looked up again. */
  forget({ account }: Placement): void {
    this.#placements.delete(account);
  }

  /** All are looked up again. */
  forgetAll(): void {
    this.#placements.clear();
    this.#confirmedUntil = Number.NEGATIVE_INFINITY;
  }

  async #find(account: AccountId): Promise<Placement> {
    const text = `SELECT shardid, groupid, nodename, nodeport FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
      WHERE shardid = get_shard_id_for_distribution_column('ledger', $1::bigint) AND noderole = 'primary' ORDER BY groupid LIMIT 1`;
    let row: Row | undefined;
    // The function may know the shards before a split, and the snapshot of the statement those after it, or vice versa.
    for (let attempt = 0; row === undefined && attempt < MAX_ATTEMPTS; attempt += 1)
      [row] = await this.#node.reserved({ text, parameters: [account] });
    if (row === undefined) throw new StoreUnavailable('busy', 'PostgreSQL: the cluster is changing its shards');
    const id = integerOf(row, 'shardid');
    const shard = this.#shards.get(id) ?? this.#findShard(id);
    shard.catch(() => this.#shards.delete(id));
    this.#shards.set(id, shard);
    return { account, workerNode: integerOf(row, 'groupid'), host: hostOf(row), shard: await shard };
  }

  /** The tables of a shard have the same range of hashes as that of the ledger. A copied table has one shard, and no range. */
  async #findShard(id: number): Promise<Shard> {
    const tables = expectedTables();
    const text = `SELECT pg_class.relname::text AS name, shard_name(shard.logicalrelid, shard.shardid) AS shard, shard.shardminvalue IS NULL AS copied
      FROM pg_dist_shard AS shard JOIN pg_dist_partition AS part ON part.logicalrelid = shard.logicalrelid
        JOIN pg_class ON pg_class.oid = shard.logicalrelid, pg_dist_shard AS own JOIN pg_dist_partition AS ledger ON ledger.logicalrelid = own.logicalrelid
      WHERE own.shardid = $1::bigint AND relname = ANY($2::text[]) AND pg_class.oid = to_regclass(relname::text)
        AND (part.colocationid = ledger.colocationid AND shard.shardminvalue = own.shardminvalue OR part.repmodel = 't')`;
    const rows = await this.#node.reserved({ text, parameters: [id, `{${tables.join(',')}}`] });
    const names = (isCopied: string) =>
      new Map(
        rows.filter((row) => row['copied'] === isCopied).map((row) => [textOf(row, 'name'), textOf(row, 'shard')]),
      );
    return new Shard(id, { distributed: names('f'), copied: names('t'), known: tables });
  }

  /** Of all worker nodes. It is one statement, without parameters, so that it is planned once. */
  async #findAddresses(): Promise<ReadonlyMap<WorkerNode, string>> {
    const text = `SELECT groupid, nodename, nodeport, current_setting('transaction_read_only') AS read_only
      FROM pg_dist_node WHERE noderole = 'primary'`;
    const rows = await this.#node.reserved({ text, parameters: [] });
    this.#isReadOnly = rows[0]?.['read_only'] === 'on';
    return new Map(rows.map((row) => [integerOf(row, 'groupid'), addressOf(hostOf(row))]));
  }
}

function hostOf(row: Row): Host {
  return { host: textOf(row, 'nodename'), port: integerOf(row, 'nodeport') };
}
