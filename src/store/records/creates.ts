/**
 * Creates records one by one, and writes them in batches. Creates in one resource of one account need the same ledger row,
 * so each would wait for the one before; those that arrive meanwhile share the next batch.
 *
 * A create with an idempotency key holds the key, looks up what the key has created, and otherwise joins a batch like any
 * other create. The batch holds the key as well, because it may outlast the request.
 */

import type { Resource } from '../../catalog/resource.ts';
import { MAX_INTEGER } from '../../catalog/value-types.ts';
import type { CreatePlan, Idempotency } from '../../plan/plan.ts';
import { NO_DEADLINE } from '../../schedule/deadline.ts';
import { Overloaded } from '../../schedule/fair-queue.ts';
import { MarkedAccounts } from '../../schedule/marked-accounts.ts';
import { exceededBy, storageOf } from '../accounts/storage.ts';
import { Batcher, type Outcome } from '../engine/batcher.ts';
import type { Engine } from '../engine/engine.ts';
import { enterStatements } from '../sql/ledger.ts';
import { createDiagnosis, createStatements, sizeOf, uniqueGuard, uniqueValues } from '../sql/record-statements.ts';
import { integerOf, type Row, textOf } from '../sql/row.ts';
import type { Statement } from '../sql/statement.ts';
import type { Caller, Created, NoAccess, NotCreated, StorageLimits, ValueTaken } from '../store.ts';
import { isLockTimeout, StatementRejected } from '../store-error.ts';
import { IdempotencyKeys } from './idempotency-keys.ts';

/** The maximum number of records in one batch. */
const MAX_BATCH = 100;

/** The maximum number of creates of one account, in one resource, that wait for a batch. */
const MAX_WAITING = 1_000;

type Item = Omit<CreatePlan, 'resource'>;
type Result = Created | NotCreated | NoAccess;

export class Creates {
  readonly #engine: Engine;
  readonly #limits: StorageLimits;
  /** By account, resource and access version. */
  readonly #batchers = new Map<string, Batcher<Item, Result>>();
  readonly #keys: IdempotencyKeys;
  /** Accounts whose creates were refused. They are checked before anything is written: a write that is rolled back delays those of others. */
  readonly #refused: MarkedAccounts;

  constructor(engine: Engine, limits: StorageLimits) {
    this.#engine = engine;
    this.#limits = limits;
    this.#refused = new MarkedAccounts(engine.clock);
    this.#keys = new IdempotencyKeys(engine);
  }

  async add(caller: Caller, plan: CreatePlan): Promise<Result> {
    const { resource, idempotency } = plan;
    if (idempotency === undefined) return this.#enqueue(caller, plan);
    if (this.#keys.isHeld(caller.account, resource, idempotency)) return 'key in progress';
    return this.#keys.hold(
      caller.account,
      resource,
      [idempotency],
      async () => (await this.#replay(caller, resource, idempotency)) ?? this.#enqueue(caller, plan),
    );
  }

  async #enqueue(caller: Caller, { resource, values, idempotency }: CreatePlan): Promise<Result> {
    const { account, access, deadline = NO_DEADLINE } = caller;
    const name = `${account} ${resource.name} ${access}`;
    const batcher =
      this.#batchers.get(name) ??
      this.#newBatcher(name, { account, ...(access !== undefined && { access }) }, resource);
    this.#batchers.set(name, batcher);
    if (batcher.waiting >= MAX_WAITING)
      throw new Overloaded(`${MAX_WAITING} creates of the account are waiting`, 1_000);
    return batcher.add({ values, idempotency }, deadline.signal);
  }

  /** Resolves when everything that was added has been written. */
  async close(): Promise<void> {
    await Promise.all([...this.#batchers.values()].map((batcher) => batcher.close()));
  }

  #newBatcher(name: string, caller: Caller, resource: Resource): Batcher<Item, Result> {
    return new Batcher({
      onIdle: () => this.#batchers.delete(name),
      run: (batch) => {
        const keys = batch.flatMap(({ idempotency }) => idempotency ?? []);
        return this.#keys.hold(caller.account, resource, keys, () => this.#write(caller, resource, batch));
      },
      // Half of the clients are answered while the other half is written. If a batch took all of them, the database would
      // be idle until they come back, and a single latecomer would get a batch of its own while all others wait.
      size: (waiting, previous) => Math.min(MAX_BATCH, Math.ceil((previous + waiting) / 2)),
      // The ones behind would time out waiting for the same lock.
      isShared: isLockTimeout,
    });
  }

  async #write(caller: Caller, resource: Resource, batch: readonly Item[]): Promise<readonly Outcome<Result>[]> {
    try {
      const unique = uniqueValues(resource, batch);
      const first = hasRepeated(unique) ? undefined : await this.#create(caller, resource, batch, unique);
      if (typeof first === 'number') return batch.map((_, index) => ({ result: { id: first + index } }));
      if (first !== undefined && (first === 'no access' || batch.length === 1))
        return batch.map(() => ({ result: first }));
    } catch (error) {
      if (!(error instanceof StatementRejected)) return batch.map(() => ({ error }));
      const [only, ...others] = batch;
      if (only !== undefined && others.length === 0) return [await this.#rejected(caller, resource, only, error)];
    }
    // One record that cannot be written must not affect the others.
    const outcomes: Outcome<Result>[] = [];
    let timeout: Outcome<Result> | undefined;
    for (const item of batch) {
      const outcome = timeout ?? (await this.#write(caller, resource, [item]))[0];
      if (outcome === undefined) throw new Error('a create has no outcome');
      if ('error' in outcome && isLockTimeout(outcome.error)) timeout = outcome;
      outcomes.push(outcome);
    }
    return outcomes;
  }

  async #replay(caller: Caller, resource: Resource, idempotency: Idempotency): Promise<Result | undefined> {
    const used = await this.#keys.replay(caller, resource, idempotency);
    if (used === undefined || used === 'no access' || used.kind === 'key reused') return used;
    return { id: used.id, isReplayed: true };
  }

  /** Another node may have used the key meanwhile. */
  async #rejected(
    caller: Caller,
    resource: Resource,
    { idempotency }: Item,
    rejection: StatementRejected,
  ): Promise<Outcome<Result>> {
    if (idempotency === undefined) return { error: rejection };
    try {
      const result = await this.#replay(caller, resource, idempotency);
      return result === undefined ? { error: rejection } : { result };
    } catch (error) {
      return { error };
    }
  }

  /** The id of the first record; the others follow it. */
  async #create(
    caller: Caller,
    resource: Resource,
    batch: readonly Item[],
    unique: UniqueValues,
  ): Promise<number | NotCreated | NoAccess> {
    const { dialect } = this.#engine;
    this.#engine.requireRoom();
    if (this.#refused.has(caller.account)) {
      const refusal = await this.#refusal(caller, resource, batch);
      if (refusal !== undefined) return refusal;
    }
    const statements = createStatements(caller, resource, batch, this.#limits, dialect);
    const guard = uniqueGuard(caller, resource, unique, dialect);
    const { rows } = await this.#engine.write([...guard, ...statements], caller.account);
    const [, [conflict] = []] = guard.length === 0 ? [] : rows;
    if (conflict !== undefined) return valueTaken(conflict);
    const taken = rows[guard.length]?.[0];
    if (taken !== undefined) return firstId(taken, batch);
    const refusal = await this.#refusal(caller, resource, batch);
    if (refusal !== undefined) return refusal;
    const entered = await this.#enterAndCreate(caller, resource, batch, guard, statements);
    return entered ?? this.#create(caller, resource, batch, unique);
  }

  /** Why nothing can be created; undefined if it can. */
  async #refusal(
    caller: Caller,
    resource: Resource,
    batch: readonly Item[],
  ): Promise<NotCreated | NoAccess | undefined> {
    const diagnosis = createDiagnosis(caller, resource, this.#limits, this.#engine.dialect);
    const [ledger] = await this.#engine.reserved(diagnosis, caller.account);
    if (ledger === undefined) return 'no access';
    const refusal =
      integerOf(ledger, 'last_id') > MAX_INTEGER - batch.length
        ? 'ids exhausted'
        : exceededBy(storageOf(ledger), batch.length, sizeOf(resource, batch));
    if (refusal !== undefined) this.#refused.add(caller.account);
    return refusal;
  }

  /**
   * The first write to this ledger in the current generation. Both are one transaction: a generation that a ledger has
   * entered, but in which nothing was written, would leave no trace in its history, and cursors from then would expire.
   */
  async #enterAndCreate(
    { account }: Caller,
    resource: Resource,
    batch: readonly Item[],
    guard: readonly Statement[],
    [take, ...others]: readonly Statement[],
  ): Promise<number | undefined> {
    if (take === undefined) throw new Error('there is nothing to create');
    const enter = Object.values(enterStatements(account, resource, this.#engine.dialect));
    const before = [...enter, ...guard];
    const statements = [...before, { ...take, expect: 'some' as const }, ...others];
    const { isCommitted, rows } = await this.#engine.write(statements, account);
    const taken = rows[before.length]?.[0];
    return isCommitted && taken !== undefined ? firstId(taken, batch) : undefined;
  }
}

type UniqueValues = ReturnType<typeof uniqueValues>;

/** Whether two of the records have the same value. */
function hasRepeated(unique: UniqueValues): boolean {
  return [...unique.values()].some((values) => new Set(values).size < values.length);
}

function valueTaken(row: Row): ValueTaken {
  return { kind: 'value taken', field: textOf(row, 'field'), value: textOf(row, 'value') };
}

/** The ledger has assigned ids up to `last_id` to the batch. */
function firstId(taken: Row, { length }: readonly unknown[]): number {
  return integerOf(taken, 'last_id') - length + 1;
}
