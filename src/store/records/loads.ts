/**
 * Loads rows into a resource: compares them with the records, and writes what differs, all or nothing. A few rows are staged by the
 * transaction that loads them, and loads into one ledger that wait for each other share it. Many rows are staged first, as they arrive.
 */

import type { Resource } from '../../catalog/resource.ts';
import { NO_DEADLINE } from '../../schedule/deadline.ts';
import { Overloaded } from '../../schedule/fair-queue.ts';
import { oneByOne } from '../../schedule/one-by-one.ts';
import type { SqlAuditTrail } from '../accounts/audit-trail.ts';
import { Batcher } from '../engine/batcher.ts';
import type { Engine, Write, WriteResult } from '../engine/engine.ts';
import { newImportId } from '../imports.ts';
import { LoadProgress } from '../load-progress.ts';
import type { StagedRow } from '../sql/dialect.ts';
import { sourceOf, sourcesStatement } from '../sql/import-statements.ts';
import { loadResult, skippedRow } from '../sql/load-result.ts';
import {
  inOrder,
  type LoadContext,
  type LoadStatements,
  loadStatements,
  type StagedFacts,
} from '../sql/load-statements.ts';
import { bind } from '../sql/sql.ts';
import { stagingColumns } from '../sql/staging.ts';
import { compile } from '../sql/statement.ts';
import type {
  Caller,
  LoadOptions,
  LoadPlan,
  LoadResult,
  NoAccess,
  RowFacts,
  SkippedRow,
  StagedBatch,
  StorageLimits,
} from '../store.ts';
import { isLockTimeout, OutdatedFields, StatementRejected, StoreUnavailable } from '../store-error.ts';
import { IdempotencyKeys } from './idempotency-keys.ts';
import { completeSearch } from './search-completion.ts';

/** How much disk a load takes, for each byte of its records: four for the file, and as much for the log. */
const SPACE_FACTOR = 8;

/** The maximum number of loads that share a transaction. */
const MAX_BATCH = 20;

/** The maximum number of loads of one account, into one resource, that wait for a transaction. */
const MAX_WAITING = 200;

/** Loads of a few rows add many records to a search index at once, because single ones take as long. */
const INDEXED_AT_ONCE = { min: 250, max: 1_000 };

export class Loads {
  readonly #engine: Engine;
  readonly #context: LoadContext;
  readonly #keys: IdempotencyKeys;
  /** By account and resource. */
  readonly #batchers = new Map<string, Batcher<Write, WriteResult>>();
  #tables = 0;

  constructor(engine: Engine, limits: StorageLimits, audit: SqlAuditTrail) {
    this.#engine = engine;
    const { dialect } = engine;
    this.#context = { limits, dialect, actor: audit.actor, audit: (entry, by) => audit.statement(entry, by) };
    this.#keys = new IdempotencyKeys(engine);
  }

  async load(
    caller: Caller,
    plan: LoadPlan,
    batches: AsyncIterable<StagedBatch>,
    options: LoadOptions = {},
  ): Promise<LoadResult> {
    const { idempotency, resource } = plan;
    if (idempotency === undefined) return this.#load(caller, plan, batches, options);
    if (this.#keys.isHeld(caller.account, resource, idempotency)) return { kind: 'key in progress' };
    return this.#keys.hold(caller.account, resource, [idempotency], async () => {
      try {
        return await this.#load(caller, plan, batches, options);
      } catch (error) {
        if (error instanceof KeyUsed) return error.result;
        // Another node may have used the key meanwhile.
        const used = error instanceof StatementRejected ? await this.#replay(caller, plan) : undefined;
        if (used === undefined) throw error;
        return used;
      }
    });
  }

  hasUsedKey(caller: Caller, resource: Resource, key: string): Promise<boolean> {
    return this.#keys.isUsed(caller, resource, key);
  }

  /** Resolves when everything that was to be loaded has been written. */
  async close(): Promise<void> {
    await Promise.all([...this.#batchers.values()].map((batcher) => batcher.close()));
  }

  async #load(
    caller: Caller,
    plan: LoadPlan,
    batches: AsyncIterable<StagedBatch>,
    options: LoadOptions,
  ): Promise<LoadResult> {
    const incoming = this.#incoming(batches);
    const few: StagedRow[] = [];
    let facts: RowFacts = NO_ROWS;
    try {
      for (let next = await incoming.next(); !next.done; next = await incoming.next()) {
        const { rows } = next.value;
        if (rows instanceof Uint8Array)
          return await this.#loadMany(caller, plan, few, prepend(next.value, incoming), options);
        facts = next.value.facts;
        few.push(...rows);
      }
      return await this.#loadFew(caller, plan, { facts, rows: few }, options);
    } finally {
      // Whatever was not taken is not read. Not awaited: a client may take long to send the next of it.
      incoming.return().catch(() => undefined);
    }
  }

  async *#incoming(batches: AsyncIterable<StagedBatch>): AsyncGenerator<StagedBatch, void> {
    for await (const batch of batches) {
      this.#engine.requireRoom(SPACE_FACTOR * batch.facts.bytes);
      yield batch;
    }
  }

  async #loadFew(
    caller: Caller,
    plan: LoadPlan,
    { facts, rows }: { readonly facts: RowFacts; readonly rows: readonly StagedRow[] },
    { progress, renew }: LoadOptions,
  ): Promise<LoadResult> {
    const { dialect } = this.#engine;
    const table = `incoming_${plan.resource.name}_${plan.resource.version}`;
    const staging = { table, isFew: true };
    progress?.begin(this.#prepare(caller, plan, facts, staging).phases);
    const current = await this.#ready(caller, plan, renew);
    if (current === 'no access') return { kind: current };
    const prepared = this.#prepare(current, plan, facts, staging);
    const indexing =
      plan.existing === undefined
        ? dialect.indexNewest(plan.resource, bind('integer', caller.account), INDEXED_AT_ONCE)
        : [];
    const statements = [...prepared.all, ...indexing.map((statement) => compile(statement, dialect))];
    const staged = { table, columns: stagingColumns(plan.resource), order: 'line', rows };
    const result = await this.#enqueue(caller, plan.resource, { statements, staged });
    return this.#end(current, plan, prepared, result);
  }

  async #loadMany(
    caller: Caller,
    plan: LoadPlan,
    first: readonly StagedRow[],
    rest: AsyncIterable<StagedBatch>,
    { progress = new LoadProgress(), renew }: LoadOptions,
  ): Promise<LoadResult> {
    const { account } = caller;
    const { pack } = this.#engine.dialect;
    let facts: RowFacts = NO_ROWS;
    const packed = async function* () {
      if (first.length > 0) yield pack(first);
      for await (const batch of rest) {
        facts = batch.facts;
        yield batch.rows instanceof Uint8Array ? batch.rows : pack(batch.rows);
      }
    };
    this.#tables += 1;
    const table = `incoming_${this.#tables}`;
    let prepared: PreparedLoad | undefined;
    let current: Caller | NoAccess = caller;
    const staging = { table, columns: stagingColumns(plan.resource), order: 'line', batches: packed() };
    const prepare = async () => {
      current = await this.#ready(caller, plan, renew);
      if (current === 'no access') throw new AccessEnded();
      prepared = this.#prepare(current, plan, facts, { table, isFew: false });
      progress.begin(prepared.phases);
      return prepared.all;
    };
    try {
      const result = await this.#engine.load(staging, prepare, account, progress.finished);
      if (prepared === undefined) throw new Error('the engine did not ask for the statements');
      if (result.isCommitted) {
        // Searches find the records even before they are indexed.
        const onProgress = (fraction: number) => progress.index(fraction);
        await completeSearch(this.#engine, account, plan.resource, onProgress).catch(ignoreUnavailable);
      }
      return await this.#end(current, plan, prepared, result);
    } catch (error) {
      if (error instanceof AccessEnded) return { kind: 'no access' };
      throw error;
    }
  }

  /** Once all rows are there: on whose behalf they are written. Throws if the idempotency key has been used. */
  async #ready(caller: Caller, plan: LoadPlan, renew: LoadOptions['renew']): Promise<Caller | NoAccess> {
    const current = renew === undefined ? caller : await renew();
    const used = current === 'no access' ? undefined : await this.#replay(current, plan);
    if (used !== undefined) throw new KeyUsed(used);
    return current;
  }

  async #replay(caller: Caller, { resource, idempotency }: LoadPlan): Promise<LoadResult | undefined> {
    if (idempotency === undefined) return undefined;
    const used = await this.#keys.replay(caller, resource, idempotency);
    if (used === undefined) return undefined;
    if (used === 'no access') return { kind: used };
    return used.kind === 'key reused' ? used : { kind: 'replayed', result: used.result };
  }

  #prepare(
    caller: Caller,
    plan: LoadPlan,
    facts: RowFacts,
    staging: Pick<StagedFacts, 'table' | 'isFew'>,
  ): PreparedLoad {
    const importId = newImportId(this.#engine.clock.wall());
    const statements = loadStatements(caller, plan, { ...facts, ...staging, importId }, this.#context);
    return { statements, importId, rows: facts.rows, ...inOrder(statements) };
  }

  #enqueue({ account, deadline = NO_DEADLINE }: Caller, resource: Resource, write: Write): Promise<WriteResult> {
    const name = `${account} ${resource.name}`;
    const batcher =
      this.#batchers.get(name) ??
      new Batcher<Write, WriteResult>({
        onIdle: () => this.#batchers.delete(name),
        run: (writes) => this.#engine.writeEach(writes, account),
        // As with creates: half of the clients are answered while the other half is written.
        size: (waiting, previous) => Math.min(MAX_BATCH, Math.ceil((previous + waiting) / 2)),
        // The ones behind would time out waiting for the same lock.
        isShared: isLockTimeout,
      });
    this.#batchers.set(name, batcher);
    if (batcher.waiting >= MAX_WAITING) throw new Overloaded(`${MAX_WAITING} writes of the account are waiting`, 1_000);
    return batcher.add(write, deadline.signal);
  }

  async #end(caller: Caller, plan: LoadPlan, prepared: PreparedLoad, result: WriteResult): Promise<LoadResult> {
    const skipped: SkippedRow[] = [];
    for await (const slice of oneByOne(result.many ?? [])) skipped.push(...slice().map((row) => skippedRow(plan, row)));
    const outcome = loadResult(plan, prepared.statements, result, skipped, prepared.importId);
    if (outcome.kind !== 'position changed') return outcome;
    const statement = sourcesStatement(caller, plan.import?.source?.name, this.#engine.dialect);
    const [row] = await this.#engine.reserved(statement, caller.account);
    return { ...outcome, current: row === undefined || row['name'] === null ? undefined : sourceOf(row) };
  }
}

interface PreparedLoad extends ReturnType<typeof inOrder> {
  readonly statements: LoadStatements;
  readonly importId: string;
  /** How many rows were staged. */
  readonly rows: number;
}

/** An earlier load had the idempotency key. */
class KeyUsed extends Error {
  override readonly name = 'KeyUsed';
  readonly result: LoadResult;

  constructor(result: LoadResult) {
    super('the idempotency key has been used');
    this.result = result;
  }
}

/** The caller has lost access while rows arrived. */
class AccessEnded extends Error {
  override readonly name = 'AccessEnded';
}

const NO_ROWS: RowFacts = { rows: 0, bytes: 0, lastLine: 0, hasRemovals: false, lacksIds: false };

async function* prepend<Item>(first: Item, rest: AsyncIterable<Item>): AsyncIterable<Item> {
  yield first;
  yield* rest;
}

/** What was loaded is there. The search index catches up later. */
function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof StoreUnavailable || error instanceof OutdatedFields)) throw error;
}
