/**
 * Records that are made one by one. Those of one resource of one account that arrive together are written together. They all
 * take the same ledger row, so each group would wait for the one before it: what comes meanwhile is gathered here.
 */

import type { Resource } from '../../catalog/resource.ts';
import type { CreatePlan } from '../../plan/plan.ts';
import type { AccountId, Created, CreateRefusal, Presumption } from '../store.ts';
import { isBusy } from '../store-error.ts';
import { type Engine, StatementRefused } from './engine.ts';
import { createStatements, ledgerStatement } from './record-statements.ts';
import { integerOf } from './row.ts';

/** Records that are written together at most. */
const MAX_GROUP = 100;

/** Where records are made. */
interface Place {
  readonly account: AccountId;
  readonly resource: Resource;
  readonly presumed: Presumption | undefined;
}

interface Waiting {
  readonly values: CreatePlan['values'];
  readonly resolve: (created: Created | CreateRefusal) => void;
  readonly reject: (error: unknown) => void;
}

export class Creates {
  readonly #engine: Engine;
  /** By their places, for as long as others can join them. */
  readonly #gathered = new Map<string, { readonly waiting: Waiting[]; readonly written: Promise<void> }>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  add(
    account: AccountId,
    { resource, values }: CreatePlan,
    presumed: Presumption | undefined,
  ): Promise<Created | CreateRefusal> {
    return new Promise((resolve, reject) => {
      const name = `${account} ${resource.name} ${presumed?.access} ${presumed?.epoch}`;
      const gathered = this.#gathered.get(name);
      if (gathered !== undefined) {
        gathered.waiting.push({ values, resolve, reject });
        return;
      }
      const waiting = [{ values, resolve, reject }];
      // Those that have been sent by now join it.
      const written = new Promise<void>((done) =>
        setImmediate(() => done(this.#writeAll(name, { account, resource, presumed }, waiting))),
      );
      this.#gathered.set(name, { waiting, written });
    });
  }

  /** What came before is written. */
  async close(): Promise<void> {
    await Promise.all([...this.#gathered.values()].map(({ written }) => written));
  }

  async #writeAll(name: string, place: Place, waiting: Waiting[]): Promise<void> {
    let answered = 0;
    while (waiting.length > 0) {
      // Half of those who are at it: the others come meanwhile. Were it all, the database would be idle until they had been
      // answered and come again; and one that came a little too late for them would be written alone, while all others wait.
      const group = waiting.splice(0, Math.min(MAX_GROUP, Math.ceil((answered + waiting.length) / 2)));
      answered = group.length;
      try {
        await this.#write(place, group);
      } catch (error) {
        for (const { reject } of group) reject(error);
        // Those behind it would wait for the same lock, as long again.
        if (isBusy(error)) for (const { reject } of waiting.splice(0)) reject(error);
      }
    }
    // In the same turn in which nothing waits any more.
    this.#gathered.delete(name);
  }

  /** Throws where none of them was written. */
  async #write(place: Place, group: readonly Waiting[]): Promise<void> {
    try {
      const created = await this.#create(place, group);
      if (typeof created === 'number')
        for (const [index, { resolve }] of group.entries()) resolve({ id: created + index });
      else if (group.length > 1 && created !== 'not as presumed') await this.#writeEach(place, group);
      else for (const { resolve } of group) resolve(created);
    } catch (error) {
      if (!(error instanceof StatementRefused) || group.length === 1) throw error;
      await this.#writeEach(place, group);
    }
  }

  /** One that cannot be written keeps none of the others from it. */
  async #writeEach(place: Place, group: readonly Waiting[]): Promise<void> {
    let refused: unknown;
    for (const one of group) {
      if (!isBusy(refused)) refused = await this.#write(place, [one]).catch((error: unknown) => error);
      if (refused !== undefined) one.reject(refused);
    }
    // Those that wait for the next group are told as well.
    if (isBusy(refused)) throw refused;
  }

  /** The id of the first of them; the others follow. */
  async #create({ account, resource, presumed }: Place, group: readonly Waiting[]): Promise<number | CreateRefusal> {
    const { dialect } = this.#engine;
    const records = group.map(({ values }) => values);
    const statements = createStatements(account, resource, records, dialect, presumed);
    const { rows } = await this.#engine.write(statements, presumed?.epoch);
    const row = rows[0]?.[0];
    if (row !== undefined) return integerOf(row, 'last_id') - group.length + 1;
    if (presumed !== undefined) return 'not as presumed';
    const [ledger] = await this.#engine.read(ledgerStatement(account, resource, dialect));
    return ledger === undefined ? 'no such account' : 'ids exhausted';
  }
}
