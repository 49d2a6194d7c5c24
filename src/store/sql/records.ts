/** Records in SQL. */

import type { Resource } from '../../catalog/resource.ts';
import type { CreatePlan, ListPlan, RecordPlan } from '../../plan/plan.ts';
import type { AccountId, Created, CreateRefusal, Found, IncomingRow, LoadResult, Page, Records } from '../store.ts';
import type { Engine } from './engine.ts';
import { loadResult } from './load-result.ts';
import { loadStatements } from './load-statements.ts';
import { createStatements, findStatement, ledgerStatement, listStatement } from './record-statements.ts';
import { bytesOf, bytesOrNullOf, integerOf } from './row.ts';
import { stagingOf } from './staging.ts';

const NO_RECORDS = new Uint8Array();

export class SqlRecords implements Records {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async list(account: AccountId, plan: ListPlan): Promise<Page | undefined> {
    const [row] = await this.#engine.read(listStatement(account, plan, this.#engine.dialect));
    return (
      row && {
        records: bytesOrNullOf(row, 'records') ?? NO_RECORDS,
        total: integerOf(row, 'total'),
        revision: integerOf(row, 'revision'),
      }
    );
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
