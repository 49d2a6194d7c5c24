/**
 * A worker node that statements are sent to directly: on connections of its own, with the settings and the prepared statements that a single server has. Through the
 * node, which plans every statement, and has the worker node plan it again, they take many times as long.
 *
 * Every read and every write makes sure that the worker node still has the shard, and that the node still uses this server as the worker node. If not, or if the
 * worker node cannot be reached from here, the result is `'unavailable'`, nothing was done, and the caller goes through the node.
 */

import type { Job } from '../../../schedule/fair-queue.ts';
import type { Snapshot, SnapshotReads, WriteResult } from '../../engine/engine.ts';
import type { Row } from '../../sql/row.ts';
import type { Statement } from '../../sql/statement.ts';
import { StoreUnavailable, UnusableDatabase } from '../../store-error.ts';
import { type EngineOptions, PostgresEngine } from '../engine.ts';
import { isShardGone } from '../errors.ts';
import type { Placement, Placements } from './placements.ts';
import type { Shard } from './shard.ts';
import type { WorkerNodeLink } from './worker-node-link.ts';

export type Unavailable = 'unavailable';

export class DirectWorkerNode {
  readonly engine: PostgresEngine;
  readonly #link: WorkerNodeLink;
  readonly #placements: Placements;
  /** Whether the role may keep shards from being moved: only the owner of the tables may. */
  #mayWrite = true;

  constructor(link: WorkerNodeLink, placements: Placements, options: EngineOptions) {
    this.engine = new PostgresEngine(link, options);
    this.#link = link;
    this.#placements = placements;
  }

  reserved(placement: Placement, statement: Statement): Promise<readonly Row[] | Unavailable> {
    const read = () => this.engine.reserved(placement.shard.checkedStatement(statement));
    // It is small, so any other way is worth trying.
    return this.#readOne(placement, read, (error) => isUnreachable(error) || error instanceof StoreUnavailable);
  }

  fast(placement: Placement, job: Job, statement: Statement): Promise<readonly Row[] | Unavailable> {
    const read = () => this.engine.fast(job, placement.shard.checkedStatement(statement));
    return this.#readOne(placement, read, isUnreachable);
  }

  slow<Result>(
    placement: Placement,
    job: Job,
    body: (snapshot: SnapshotReads) => Promise<Result>,
  ): Promise<Result | Unavailable> {
    let isHeld = false;
    const read = () =>
      this.engine.slow(job, (snapshot) => {
        const held = this.#hold(placement, snapshot).then(() => {
          isHeld = true;
        });
        return body(onShard(placement.shard, snapshot, held));
      });
    return this.#unlessUnavailable(placement, read, (error) => !isHeld && isUnreachable(error));
  }

  stream(placement: Placement, job: Job): Promise<Snapshot | Unavailable> {
    const open = async () => {
      const snapshot = await this.engine.stream(job);
      const held = this.#hold(placement, snapshot);
      try {
        await held;
      } catch (error) {
        await snapshot.close();
        throw error;
      }
      return { ...onShard(placement.shard, snapshot, held), close: () => snapshot.close() };
    };
    return this.#unlessUnavailable(placement, open, isUnreachable);
  }

  /** Keeps the shard from being moved meanwhile, as Citus does. */
  async write(placement: Placement, statements: readonly Statement[]): Promise<WriteResult | Unavailable> {
    const { shard } = placement;
    if (!this.#mayWrite || !statements.every(({ text }) => shard.isWrite(text))) return 'unavailable';
    let hasBegun = false;
    const preparation = [shard.keep, { ...shard.check, expect: 'some' as const }];
    const write = async () => {
      if (!(await this.#placements.confirm(placement))) throw new Replaced();
      if (this.#placements.isReadOnly) return 'unavailable';
      const all = [...preparation, ...statements.map((statement) => shard.statement(statement))];
      const { isCommitted, rows } = await this.engine.write(all, undefined, () => {
        hasBegun = true;
      });
      if (!isCommitted && rows.length === preparation.length) throw new Displaced();
      return { isCommitted, rows: rows.slice(preparation.length) };
    };
    return this.#unlessUnavailable(placement, write, (error) => {
      if (!hasBegun) return isUnreachable(error);
      // The server has refused it. If the connection is lost, nobody knows whether it has committed.
      const isRefused = error instanceof UnusableDatabase;
      if (isRefused) this.#mayWrite = false;
      return isRefused;
    });
  }

  /** No row may mean that the shard is not there any more. */
  #readOne(
    placement: Placement,
    read: () => Promise<readonly Row[]>,
    isUnavailable: (error: unknown) => boolean,
  ): Promise<readonly Row[] | Unavailable> {
    const confirmed = async () => {
      const [rows, isConfirmed] = await Promise.all([read(), this.#placements.confirm(placement)]);
      if (!isConfirmed) throw new Replaced();
      if (rows.length === 0) throw new Displaced();
      return rows;
    };
    return this.#unlessUnavailable(placement, confirmed, isUnavailable);
  }

  /** Makes sure that a snapshot has the shard, and keeps its tables until the end. */
  async #hold(placement: Placement, { read }: SnapshotReads): Promise<void> {
    const { lock, check } = placement.shard;
    const [isConfirmed, , rows] = await Promise.all([this.#placements.confirm(placement), read(lock), read(check)]);
    if (!isConfirmed) throw new Replaced();
    if (rows.length === 0) throw new Displaced();
  }

  async #unlessUnavailable<Result>(
    placement: Placement,
    attempt: () => Promise<Result>,
    isUnavailable: (error: unknown) => boolean,
  ): Promise<Result | Unavailable> {
    if (!this.#link.isReady()) return 'unavailable';
    try {
      return await attempt();
    } catch (error) {
      if (error instanceof Replaced) this.#placements.forgetAll();
      else if (error instanceof Displaced || isShardGone(error)) this.#placements.forget(placement);
      else if (!isUnavailable(error)) throw error;
      return 'unavailable';
    }
  }
}

/** The shard may not be there any more. */
class Displaced extends Error {
  override readonly name = 'Displaced';
}

/** The server is not the worker node any more. */
class Replaced extends Error {
  override readonly name = 'Replaced';
}

/** Another way may still lead there. */
function isUnreachable(error: unknown): boolean {
  if (error instanceof UnusableDatabase) return true;
  return error instanceof StoreUnavailable && (error.reason === 'partly unreachable' || error.reason === 'exhausted');
}

/** Reads are sent along with what holds the shard. Without it, none has a result. */
function onShard(shard: Shard, { read, lines }: SnapshotReads, held: Promise<void>): SnapshotReads {
  held.catch(() => undefined);
  return {
    async read(statement) {
      const rows = read(shard.statement(statement));
      // It fails as well, for a reason that says nothing.
      rows.catch(() => undefined);
      await held;
      return rows;
    },
    lines(statement) {
      const next = lines(shard.statement(statement));
      return async () => {
        await held;
        return next();
      };
    },
  };
}
