/** Records in SQL. */

import type { Resource } from '../../catalog/resource.ts';
import { canonical } from '../../plan/canonical.ts';
import type { CreatePlan, ListPlan, RecordPlan } from '../../plan/plan.ts';
import type { AccountId, Created, CreateRefusal, Found, IncomingRow, LoadResult, Page, Records } from '../store.ts';
import type { Engine } from './engine.ts';
import { KnownTotals } from './known-totals.ts';
import { loadResult } from './load-result.ts';
import { loadStatements } from './load-statements.ts';
import { createStatements, findStatement, ledgerStatement, listStatement } from './record-statements.ts';
import { bytesOf, bytesOrNullOf, integerOf } from './row.ts';
import { stagingOf } from './staging.ts';

const NO_RECORDS = new Uint8Array();

export class SqlRecords implements Records {
  readonly #engine: Engine;
  readonly #totals = new KnownTotals();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async list(account: AccountId, plan: ListPlan): Promise<Page | undefined> {
    const key = plan.where && `${account} ${plan.resource.name} ${canonical(plan.where)}`;
    const known = key === undefined ? undefined : this.#totals.get(key);
    const [row] = await this.#engine.read(listStatement(account, plan, this.#engine.dialect, known));
    if (row === undefined) return undefined;
    const [revision, total] = [integerOf(row, 'revision'), integerOf(row, 'total')];
    if (key !== undefined && known?.revision !== revision) this.#totals.set(key, { revision, total });
    return { records: bytesOrNullOf(row, 'records') ?? NO_RECORDS, total, revision };
  }

  async find(account: AccountId, plan: RecordPlan): Promise<Found | undefined> {
    const [row] = await this.#engine.read(findStatement(account, plan, this.#engine.dialect));
    return row && { record: bytesOf(row, 'record'), revision: integerOf(row, 'revision') };
  }

  async revision(account: AccountId, resource: Resource): Promise<number | undefined> {
    const [row] = await this.#engine.read(ledgerStatement(account, resource, this.#engine.dialect));
    return row && integerOf(row, 'revision');
  }

  async create(account: AccountId, plan: CreatePlan): Promise<Created | CreateRefusal> {
    const result = await this.#engine.write(createStatements(account, plan, this.#engine.dialect));
    const row = result.rows[0]?.[0];
    if (row !== undefined) return { id: integerOf(row, 'id') };
    return (await this.revision(account, plan.resource)) === undefined ? 'no such account' : 'ids exhausted';
  }

  async load(
    account: AccountId,
    resource: Resource,
    batches: AsyncIterable<readonly IncomingRow[]>,
    now: string,
  ): Promise<LoadResult> {
    const { dialect } = this.#engine;
    const statements = loadStatements(account, resource, dialect);
    const result = await this.#engine.writeFrom(stagingOf(resource, batches, now, dialect), Object.values(statements));
    return loadResult(resource, statements, result);
  }
}
