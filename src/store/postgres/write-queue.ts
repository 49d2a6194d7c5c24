/**
 * Writes on their way to PostgreSQL. Those to the same ledger row would wait for each other there; here they wait together,
 * and then share a transaction. Few connections write, so that an account that is locked keeps none of the others waiting.
 */

import type { WriteResult } from '../sql/engine.ts';
import type { Statement } from '../sql/statement.ts';
import { toldApart } from '../sql/write-group.ts';
import { isConnectionLost, sqlState } from './errors.ts';
import type { Lane } from './lane.ts';

/** Connections that write at most. */
const MAX_LANES = 4;

/** Writes that share a transaction at most. */
const MAX_GROUP = 100;

export interface LaneWork {
  open(): Promise<Lane>;
  /** All of the statements in one transaction. */
  transact(lane: Lane, statements: readonly Statement[]): Promise<WriteResult>;
}

interface Write {
  readonly statements: readonly Statement[];
  readonly resolve: (result: WriteResult) => void;
  readonly reject: (error: unknown) => void;
}

export class WriteQueue {
  readonly #work: LaneWork;
  /** By topic: what is written to the same place. */
  readonly #waiting = new Map<string, Write[]>();
  readonly #underWay = new Set<string>();
  readonly #idle: Lane[] = [];

  constructor(work: LaneWork) {
    this.#work = work;
  }

  add(topic: string, statements: readonly Statement[]): Promise<WriteResult> {
    return new Promise((resolve, reject) => {
      const write = { statements, resolve, reject };
      const before = this.#waiting.get(topic);
      if (before === undefined) this.#waiting.set(topic, [write]);
      else before.push(write);
      this.#begin();
    });
  }

  async close(): Promise<void> {
    await Promise.all(this.#idle.map((lane) => lane.close()));
  }

  /** The topic that has waited longest goes first; one that is being written waits for what comes of it. */
  #begin(): void {
    if (this.#underWay.size === MAX_LANES) return;
    const topic = [...this.#waiting.keys()].find((waiting) => !this.#underWay.has(waiting));
    if (topic === undefined) return;
    const writes = this.#waiting.get(topic) ?? [];
    const group = writes.splice(0, MAX_GROUP);
    if (writes.length === 0) this.#waiting.delete(topic);
    this.#underWay.add(topic);
    void this.#write(group).finally(() => {
      this.#underWay.delete(topic);
      this.#begin();
    });
  }

  async #write(group: readonly Write[]): Promise<void> {
    let lane: Lane | undefined;
    try {
      lane = this.#idle.pop() ?? (await this.#work.open());
      await this.#writeOn(lane, group);
      this.#idle.push(lane);
    } catch (error) {
      // What became of the transaction is not known: nothing is sent again, and the connection is not used again.
      for (const { reject } of group) reject(error);
      await lane?.close();
    }
  }

  /** Where one of them has to be given up, each has a transaction of its own. */
  async #writeOn(lane: Lane, group: readonly Write[]): Promise<void> {
    if (group.length > 1) {
      const result = await this.#attempt(
        lane,
        group.flatMap(({ statements }) => statements),
      );
      if (!(result instanceof Refused) && result.written) {
        for (const { write, result: own } of toldApart(group, result)) write.resolve(own);
        return;
      }
      if (result instanceof Refused && result.isWaiting) throw result.cause;
    }
    for (const { statements, resolve, reject } of group) {
      const result = await this.#attempt(lane, statements);
      if (result instanceof Refused) reject(result.cause);
      else resolve(result);
    }
  }

  /** Throws only where it is not known what became of it. */
  async #attempt(lane: Lane, statements: readonly Statement[]): Promise<WriteResult | Refused> {
    try {
      return await this.#work.transact(lane, statements);
    } catch (error) {
      const code = sqlState(error);
      if (code === undefined || isConnectionLost(error)) throw error;
      return new Refused(error, code === LOCK_NOT_AVAILABLE);
    }
  }
}

const LOCK_NOT_AVAILABLE = '55P03';

/** The server has refused the transaction, and has rolled it back. */
class Refused {
  readonly cause: unknown;
  /** Whether it waited for a lock in vain, as each of its writes would again. */
  readonly isWaiting: boolean;

  constructor(cause: unknown, isWaiting: boolean) {
    this.cause = cause;
    this.isWaiting = isWaiting;
  }
}
