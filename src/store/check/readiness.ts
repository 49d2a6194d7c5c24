/**
 * Whether the store can serve requests. It runs statements that requests run, on the same executors, so it fails when
 * requests do: if the database is unreachable, overloaded or damaged, or if a table is missing.
 */

import { id, type Resource } from '../../catalog/resource.ts';
import type { ListPlan } from '../../plan/plan.ts';
import { Deadline } from '../../schedule/deadline.ts';
import { NO_ACCOUNT } from '../account-id.ts';
import type { Engine } from '../engine/engine.ts';
import type { SqlFields } from '../fields/fields.ts';
import { versionsStatement } from '../sql/ledger.ts';
import { listStatement } from '../sql/list-statements.ts';
import { integerOrNullOf } from '../sql/row.ts';
import { sql } from '../sql/sql.ts';
import { compile } from '../sql/statement.ts';
import { StoreUnavailable, UnusableDatabase } from '../store-error.ts';

/** How long a check may take, in milliseconds. */
const TIMEOUT = 3_000;

/** The estimated duration of a statement, in milliseconds. */
const COST = 1;

export class Readiness {
  readonly #engine: Engine;
  readonly #fields: SqlFields;
  #checking: Promise<readonly string[]> | undefined;

  constructor(engine: Engine, fields: SqlFields) {
    this.#engine = engine;
    this.#fields = fields;
  }

  /** Throws if the store cannot serve requests. Returns the parts that cannot be reached. Concurrent callers share the check. */
  check(): Promise<readonly string[]> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    return this.#checking;
  }

  async #check(): Promise<readonly string[]> {
    this.#engine.verify();
    const deadline = new Deadline(TIMEOUT, this.#engine.clock);
    const { promise: passed, reject } = Promise.withResolvers<never>();
    deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason));
    try {
      return await Promise.race([this.#reach(deadline), passed]);
    } catch (error) {
      if (error instanceof StoreUnavailable || error instanceof UnusableDatabase) throw error;
      throw new StoreUnavailable('unreachable', 'the database failed the readiness check', { cause: error });
    } finally {
      deadline.end();
    }
  }

  async #reach(deadline: Deadline): Promise<readonly string[]> {
    const unreachable = await this.#engine.unreachableParts();
    // The accounts that would be read may be there.
    if (unreachable.length === 0) await this.#read(deadline);
    return unreachable;
  }

  /** Reads the first account and the last one: their versions, and of every resource the first record and the last. */
  async #read(deadline: Deadline): Promise<void> {
    const { dialect } = this.#engine;
    const ends = sql`SELECT (SELECT min(id) FROM account) AS first, (SELECT max(id) FROM account) AS last`;
    const [row = {}] = await this.#engine.reserved(compile(ends, dialect));
    // If there are no accounts, the tables are still read.
    const first = integerOrNullOf(row, 'first') ?? NO_ACCOUNT;
    const last = integerOrNullOf(row, 'last') ?? NO_ACCOUNT;
    for (const account of [first, last]) await this.#engine.reserved(versionsStatement([account], dialect), account);
    for (const resource of (await this.#fields.catalog()).resources) {
      // Not on behalf of the account, whose own requests may be waiting for their turn.
      for (const [account, plan] of [
        [first, singleRecord(resource, false)],
        [last, singleRecord(resource, true)],
      ] as const)
        await this.#engine.fast(
          { account: NO_ACCOUNT, cost: COST, deadline },
          listStatement({ account }, plan, dialect),
        );
    }
  }
}

/** The first record of a resource, or the last. */
function singleRecord(resource: Resource, descending: boolean): ListPlan {
  const order = [{ kind: 'field' as const, field: id, descending }];
  return { resource, fields: resource.fields, where: undefined, order, page: 1, limit: 1 };
}
