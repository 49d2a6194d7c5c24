/**
 * A Citus cluster as an engine. Every worker node has an engine of its own for the accounts whose records it has, with its own connections to the
 * node and its own queue. So accounts on a worker node that is lost, or does not respond, never delay those on another. Statements about an
 * account are sent straight to its worker node, if that can be reached.
 */

import { type Clock, systemClock } from '../../../schedule/clock.ts';
import { NO_DEADLINE } from '../../../schedule/deadline.ts';
import type { Job, QueueStats } from '../../../schedule/fair-queue.ts';
import { sumOf } from '../../../schedule/histogram.ts';
import { type AccountId, NO_ACCOUNT } from '../../account-id.ts';
import type { CheckedEngine } from '../../check/check.ts';
import type { Outcome } from '../../engine/batcher.ts';
import {
  type BulkRemoval,
  type Generation,
  PLAIN_REMOVAL,
  type Snapshot,
  type SnapshotReads,
  type Staging,
  type Write,
  type WriteResult,
} from '../../engine/engine.ts';
import { NO_PENDING_REVOCATIONS } from '../../engine/revocations.ts';
import type { Row } from '../../sql/row.ts';
import type { Statement } from '../../sql/statement.ts';
import type { EngineStats, PoolStats } from '../../stats.ts';
import { StoreUnavailable } from '../../store-error.ts';
import { postgresChecks } from '../checks.ts';
import { type EngineOptions, PostgresEngine } from '../engine.ts';
import { Primary, type PrimaryOptions } from '../primary.ts';
import { addressOf, type PostgresUrl } from '../url.ts';
import { clusterDialect } from './dialect.ts';
import { DirectWorkerNode, type Unavailable } from './direct-worker-node.ts';
import type { ClusterNode, WorkerNode } from './node.ts';
import { type Placement, Placements } from './placements.ts';
import { clusterStorage } from './storage-check.ts';
import { clusterTopology } from './topology.ts';
import { WorkerNodeLink } from './worker-node-link.ts';
import { findWorkerNodes, workerNodeServer } from './worker-nodes.ts';

/** How often it is assumed that something was written, in milliseconds. */
const CHANGE_INTERVAL = 1_000;

export interface ClusterOptions extends PrimaryOptions, EngineOptions {
  /** A worker node cannot be connected to from here, so its accounts are read through the node. Called again if the reason changes. */
  readonly onIndirect?: (address: string, reason: string) => void;
}

export class ClusterEngine implements CheckedEngine {
  readonly dialect = clusterDialect;
  readonly clock: Clock;
  readonly checks = { ...postgresChecks, storage: clusterStorage };
  readonly hasStatistics = true;
  readonly revocations = NO_PENDING_REVOCATIONS;
  readonly sliceRows = Number.POSITIVE_INFINITY;
  readonly spansAccounts = false;
  readonly #newPrimary: (workerNode?: WorkerNode) => Primary;
  readonly #newEngine: (primary: Primary) => PostgresEngine;
  /** For what is about no account, or about several. */
  readonly #primary: Primary;
  readonly #general: PostgresEngine;
  readonly #engines = new Map<WorkerNode, PostgresEngine>();
  /** With the address at which each was found last. */
  readonly #direct = new Map<WorkerNode, { readonly address: string; readonly direct: DirectWorkerNode }>();
  readonly #newDirect: (placement: Placement) => DirectWorkerNode;
  readonly #placements: Placements;

  constructor(url: PostgresUrl, role: ClusterNode['role'], options: ClusterOptions) {
    this.clock = options.clock ?? systemClock;
    this.#newPrimary = (workerNode) => new Primary(url, clusterTopology({ role, workerNode }), options);
    this.#newEngine = (primary) => new PostgresEngine(primary, options);
    this.#primary = this.#newPrimary();
    this.#general = this.#newEngine(this.#primary);
    this.#placements = new Placements(this.#general);
    this.#newDirect = ({ workerNode, host }) => {
      const link = new WorkerNodeLink(host, {
        ...options,
        url: { ...url, hosts: [host] },
        expectedIdentity: () =>
          this.#primary.run((server) => server.slow.use((connection) => workerNodeServer(connection, workerNode))),
        onUnusable: (reason) => options.onIndirect?.(addressOf(host), reason),
      });
      return new DirectWorkerNode(link, this.#placements, options);
    };
  }

  /** What everybody shares must not wait for a worker node, so reading from several is a slow read. */
  async reserved(statement: Statement, about: AccountId | 'several' = NO_ACCOUNT): Promise<readonly Row[]> {
    if (about !== 'several')
      return this.#run(
        about,
        (workerNode, placement) => workerNode.reserved(placement, statement),
        (engine) => engine.reserved(statement),
      );
    return this.#general.slow({ account: NO_ACCOUNT, cost: 0, deadline: NO_DEADLINE }, ({ read }) => read(statement));
  }

  async fast(job: Job, statement: Statement): Promise<readonly Row[]> {
    return this.#run(
      job.account,
      (workerNode, placement) => workerNode.fast(placement, job, statement),
      (engine) => engine.fast(job, statement),
    );
  }

  async slow<Result>(job: Job, body: (snapshot: SnapshotReads) => Promise<Result>): Promise<Result> {
    return this.#run(
      job.account,
      (workerNode, placement) => workerNode.slow(placement, job, body),
      (engine) => engine.slow(job, body),
    );
  }

  async stream(job: Job): Promise<Snapshot> {
    return this.#run(
      job.account,
      (workerNode, placement) => workerNode.stream(placement, job),
      (engine) => engine.stream(job),
    );
  }

  async write(statements: readonly Statement[], account = NO_ACCOUNT): Promise<WriteResult> {
    return this.#run(
      account,
      (workerNode, placement) => workerNode.write(placement, statements),
      (engine) => engine.write(statements),
    );
  }

  writeLarge(statements: readonly Statement[]): Promise<WriteResult> {
    return this.write(statements);
  }

  /** A worker node cannot have the audit trail, and a temporary table cannot be distributed: each is a load. */
  async writeEach(writes: readonly Write[], account: AccountId): Promise<readonly Outcome<WriteResult>[]> {
    const outcomes: Outcome<WriteResult>[] = [];
    for (const { statements, staged } of writes) {
      const written =
        staged === undefined
          ? this.write(statements, account)
          : this.load({ ...staged, batches: once(this.dialect.pack(staged.rows)) }, async () => statements, account);
      outcomes.push(
        await written.then(
          (result) => ({ result }),
          (error: unknown) => ({ error }),
        ),
      );
    }
    return outcomes;
  }

  async load(
    staging: Staging,
    statements: () => Promise<readonly Statement[]>,
    account: AccountId,
    finished?: Int32Array,
  ): Promise<WriteResult> {
    return (await this.#engineFor(account)).load(staging, statements, account, finished);
  }

  changeCounter(): undefined {
    return undefined;
  }

  /** No node knows what all worker nodes have written, so in every interval something may have been. */
  async lastWrite(): Promise<string> {
    return String(Math.floor(this.clock.monotonic() / CHANGE_INTERVAL));
  }

  /** Only the server knows its disk. */
  requireRoom(): void {}

  async bulkRemoval(): Promise<BulkRemoval> {
    return PLAIN_REMOVAL;
  }

  /** That is what autovacuum is for. */
  async reclaim(): Promise<void> {}

  async unreachableParts(): Promise<readonly string[]> {
    const { reachable, unreachable } = await this.#primary.run((server) => server.slow.use(findWorkerNodes));
    if (reachable === 0) throw new StoreUnavailable('unreachable', 'no worker node of the cluster can be reached');
    return unreachable;
  }

  verify(): void {}

  beginGeneration(): Promise<Generation> {
    return this.#general.beginGeneration();
  }

  get stats(): EngineStats {
    const all = this.#all().map(({ stats }) => stats);
    return {
      queues: combined(
        all.map(({ queues }) => queues),
        sumOfQueues,
      ),
      pools: combined(
        all.map(({ pools }) => pools),
        sumOfPools,
      ),
      writes: sumOf(all.map(({ writes }) => writes)),
      connects: this.#general.stats.connects,
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#all().map((engine) => engine.close()));
  }

  #all(): readonly PostgresEngine[] {
    const direct = Array.from(this.#direct.values(), ({ direct }) => direct.engine);
    return [this.#general, ...this.#engines.values(), ...direct];
  }

  async #run<Result>(
    account: AccountId,
    directly: (workerNode: DirectWorkerNode, placement: Placement) => Promise<Result | Unavailable>,
    throughNode: (engine: PostgresEngine) => Promise<Result>,
  ): Promise<Result> {
    if (account === NO_ACCOUNT) return throughNode(this.#general);
    const placement = await this.#placements.of(account);
    const result = await directly(this.#directFor(placement), placement);
    return result === 'unavailable' ? throughNode(await this.#engineFor(account)) : result;
  }

  #directFor(placement: Placement): DirectWorkerNode {
    const { workerNode, host } = placement;
    const address = addressOf(host);
    const known = this.#direct.get(workerNode);
    if (known?.address === address) return known.direct;
    void known?.direct.engine.close();
    const direct = this.#newDirect(placement);
    this.#direct.set(workerNode, { address, direct });
    return direct;
  }

  async #engineFor(account: AccountId): Promise<PostgresEngine> {
    if (account === NO_ACCOUNT) return this.#general;
    const { workerNode } = await this.#placements.of(account);
    const engine = this.#engines.get(workerNode) ?? this.#newEngine(this.#newPrimary(workerNode));
    this.#engines.set(workerNode, engine);
    return engine;
  }
}

function combined<Stats>(
  all: readonly Readonly<Record<string, Stats>>[],
  sum: (same: readonly Stats[]) => Stats,
): Readonly<Record<string, Stats>> {
  const names = new Set(all.flatMap((stats) => Object.keys(stats)));
  return Object.fromEntries(Array.from(names, (name) => [name, sum(all.flatMap((stats) => stats[name] ?? []))]));
}

function sumOfQueues(queues: readonly QueueStats[]): QueueStats {
  return {
    waiting: total(queues.map(({ waiting }) => waiting)),
    running: total(queues.map(({ running }) => running)),
    waits: sumOf(queues.map(({ waits }) => waits)),
  };
}

function sumOfPools(pools: readonly PoolStats[]): PoolStats {
  return {
    max: total(pools.map(({ max }) => max)),
    used: total(pools.map(({ used }) => used)),
    idle: total(pools.map(({ idle }) => idle)),
    waiting: total(pools.map(({ waiting }) => waiting)),
  };
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

async function* once<Item>(item: Item): AsyncIterable<Item> {
  yield item;
}
