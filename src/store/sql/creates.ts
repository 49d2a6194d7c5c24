/**
 * Records that are made one by one. Those of one resource of one account take the same ledger row, so they are written one
 * after the other in any case: those that arrive meanwhile wait, and are then written together.
 */

import type { CreatePlan } from '../../plan/plan.ts';
import type { AccountId, Created, CreateRefusal } from '../store.ts';
import { type Engine, StatementRefused } from './engine.ts';
import { createStatements, ledgerStatement } from './record-statements.ts';
import { integerOf } from './row.ts';

/** Records that are written together at most. */
const MAX_GROUP = 100;

interface Waiting {
  readonly plan: CreatePlan;
  readonly resolve: (created: Created | CreateRefusal) => void;
  readonly reject: (error: unknown) => void;
}

export class Creates {
  readonly #engine: Engine;
  /** By account and resource, for as long as something is to be written there. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  add(account: AccountId, plan: CreatePlan): Promise<Created | CreateRefusal> {
    return new Promise((resolve, reject) => {
      const topic = `${account} ${plan.resource.name}`;
      const waiting = this.#waiting.get(topic);
      if (waiting !== undefined) {
        waiting.push({ plan, resolve, reject });
        return;
      }
      this.#waiting.set(topic, [{ plan, resolve, reject }]);
      // Those that have been sent by now join it.
      setImmediate(() => void this.#writeAll(topic, account));
    });
  }

  async #writeAll(topic: string, account: AccountId): Promise<void> {
    const waiting = this.#waiting.get(topic) ?? [];
    while (waiting.length > 0) await this.#write(account, waiting.splice(0, MAX_GROUP));
    this.#waiting.delete(topic);
  }

  async #write(account: AccountId, group: readonly Waiting[]): Promise<void> {
    try {
      const created = await this.#create(
        account,
        group.map(({ plan }) => plan),
      );
      if (typeof created === 'number')
        for (const [index, { resolve }] of group.entries()) resolve({ id: created + index });
      else if (group.length > 1) await this.#writeEach(account, group);
      else for (const { resolve } of group) resolve(created);
    } catch (error) {
      if (error instanceof StatementRefused && group.length > 1) await this.#writeEach(account, group);
      else for (const { reject } of group) reject(error);
    }
  }

  /** One that cannot be written keeps none of the others from it. */
  async #writeEach(account: AccountId, group: readonly Waiting[]): Promise<void> {
    for (const one of group) await this.#write(account, [one]);
  }

  /** The id of the first of them; the others follow. */
  async #create(account: AccountId, plans: readonly CreatePlan[]): Promise<number | CreateRefusal> {
    const [first] = plans;
    if (first === undefined) throw new Error('there is nothing to create');
    const { dialect } = this.#engine;
    const { rows } = await this.#engine.write(createStatements(account, plans, dialect));
    const row = rows[0]?.[0];
    if (row !== undefined) return integerOf(row, 'last_id') - plans.length + 1;
    const [ledger] = await this.#engine.read(ledgerStatement(account, first.resource, dialect));
    return ledger === undefined ? 'no such account' : 'ids exhausted';
  }
}
