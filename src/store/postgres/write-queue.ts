/**
 * Writes on their way to PostgreSQL. Those to the same ledger row would wait for each other there; here they wait together,
 * and then share a transaction. Few connections write, so that an account that is locked keeps none of the others waiting.
 */

import type { WriteResult } from '../sql/engine.ts';
import type { Statement } from '../sql/statement.ts';
import { toldApart } from '../sql/write-group.ts';
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
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    if (lane === undefined) return;
    if (lane.isLost) await lane.close();
    else this.#idle.push(lane);
  }

  /** Where one of them has to be given up, each has a transaction of its own. */
  async #writeOn(lane: Lane, group: readonly Write[]): Promise<void> {
    if (group.length > 1 && (await this.#writeTogether(lane, group))) return;
    for (const { statements, resolve, reject } of group) {
      await this.#work.transact(lane, statements).then(resolve, reject);
    }
  }

  async #writeTogether(lane: Lane, group: readonly Write[]): Promise<boolean> {
    const statements = group.flatMap((write) => write.statements);
    const result = await this.#work.transact(lane, statements).catch(() => undefined);
    if (lane.isLost || result?.written !== true) return false;
    for (const { write, result: own } of toldApart(group, result)) write.resolve(own);
    return true;
  }
}
