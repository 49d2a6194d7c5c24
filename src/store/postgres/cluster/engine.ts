/**
 * A Citus cluster as an engine. Every worker node has an engine of its own for the accounts whose records it has, with its own connections to the
 * node and its own queue. So accounts on a worker node that is lost, or does not respond, never delay those on another.
 */

import { NO_DEADLINE } from '../../../schedule/deadline.ts';
import type { Job, QueueStats } from '../../../schedule/fair-queue.ts';
import { sumOf } from '../../../schedule/histogram.ts';
import { type AccountId, NO_ACCOUNT } from '../../account-id.ts';
import type { CheckedEngine } from '../../check/check.ts';
import type { Generation, Snapshot, SnapshotReads, Staging, WriteResult } from '../../engine/engine.ts';
import { NO_PENDING_REVOCATIONS } from '../../engine/revocations.ts';
import { integerOf, type Row } from '../../sql/row.ts';
import type { Statement } from '../../sql/statement.ts';
import type { EngineStats, PoolStats } from '../../stats.ts';
import { StoreUnavailable } from '../../store-error.ts';
import { postgresChecks } from '../checks.ts';
import { type EngineOptions, PostgresEngine } from '../engine.ts';
import { Primary, type PrimaryOptions } from '../primary.ts';
import type { PostgresUrl } from '../url.ts';
import { clusterDialect } from './dialect.ts';
import type { ClusterNode, WorkerNode } from './node.ts';
import { clusterStorage } from './storage-check.ts';
import { clusterTopology } from './topology.ts';
import { findWorkerNodes, workerNodeStatement } from './worker-nodes.ts';

/** How long it is remembered which worker node has an account, in milliseconds. If its records were moved meanwhile, they are found all the same. */
const MAX_AGE = 10_000;

/** How often it is assumed that something was written, in milliseconds. */
const CHANGE_INTERVAL = 1_000;

export class ClusterEngine implements CheckedEngine {
  readonly dialect = clusterDialect;
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
  /** By account. */
  readonly #workerNodes = new Map<AccountId, Promise<WorkerNode>>();
  #rememberedSince = 0;

  constructor(url: PostgresUrl, role: ClusterNode['role'], options: PrimaryOptions & EngineOptions) {
    this.#newPrimary = (workerNode) => new Primary(url, clusterTopology({ role, workerNode }), options);
    this.#newEngine = (primary) => new PostgresEngine(primary, options);
    this.#primary = this.#newPrimary();
    this.#general = this.#newEngine(this.#primary);
  }

  /** What everybody shares must not wait for a worker node, so reading from several is a slow read. */
  async reserved(statement: Statement, about: AccountId | 'several' = NO_ACCOUNT): Promise<readonly Row[]> {
    if (about !== 'several') return (await this.#engineFor(about)).reserved(statement);
    return this.#general.slow({ account: NO_ACCOUNT, cost: 0, deadline: NO_DEADLINE }, ({ read }) => read(statement));
  }

  async fast(job: Job, statement: Statement): Promise<readonly Row[]> {
    return (await this.#engineFor(job.account)).fast(job, statement);
  }

  async slow<Result>(job: Job, body: (snapshot: SnapshotReads) => Promise<Result>): Promise<Result> {
    return (await this.#engineFor(job.account)).slow(job, body);
  }

  async stream(job: Job): Promise<Snapshot> {
    return (await this.#engineFor(job.account)).stream(job);
  }

  async write(statements: readonly Statement[], account = NO_ACCOUNT): Promise<WriteResult> {
    return (await this.#engineFor(account)).write(statements);
  }

  async load(
    staging: Staging,
    statements: () => readonly Statement[],
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
    return String(Math.floor(performance.now() / CHANGE_INTERVAL));
  }

  /** Only the server knows its disk. */
  requireRoom(): void {}

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
    return [this.#general, ...this.#engines.values()];
  }

  async #engineFor(account: AccountId): Promise<PostgresEngine> {
    if (account === NO_ACCOUNT) return this.#general;
    const workerNode = await this.#workerNodeOf(account);
    const engine = this.#engines.get(workerNode) ?? this.#newEngine(this.#newPrimary(workerNode));
    this.#engines.set(workerNode, engine);
    return engine;
  }

  #workerNodeOf(account: AccountId): Promise<WorkerNode> {
    const now = performance.now();
    if (now - this.#rememberedSince > MAX_AGE) {
      this.#workerNodes.clear();
      this.#rememberedSince = now;
    }
    const known = this.#workerNodes.get(account);
    if (known !== undefined) return known;
    const found = this.#general
      .reserved(workerNodeStatement(account))
      .then(([row = {}]) => integerOf(row, 'worker_node'));
    found.catch(() => this.#workerNodes.delete(account));
    this.#workerNodes.set(account, found);
    return found;
  }
}

function combined<Numbers>(
  all: readonly Readonly<Record<string, Numbers>>[],
  sum: (same: readonly Numbers[]) => Numbers,
): Readonly<Record<string, Numbers>> {
  const names = new Set(all.flatMap((numbers) => Object.keys(numbers)));
  return Object.fromEntries(Array.from(names, (name) => [name, sum(all.flatMap((numbers) => numbers[name] ?? []))]));
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
