/** Records in SQL. */

import type { Resource } from '../../catalog/resource.ts';
import { rowsOnPage } from '../../plan/page.ts';
import type { CreatePlan, ExportPlan, ListPlan, RecordPlan } from '../../plan/plan.ts';
import type {
  AccountId,
  Created,
  CreateRefusal,
  Export,
  Found,
  IncomingRow,
  LoadPlan,
  LoadResult,
  Page,
  Records,
} from '../store.ts';
import type { Engine } from './engine.ts';
import { KnownTotals } from './known-totals.ts';
import { loadResult } from './load-result.ts';
import { loadStatements } from './load-statements.ts';
import {
  createStatements,
  exportStatements,
  findStatement,
  ledgerStatement,
  listStatement,
} from './record-statements.ts';
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
    const known = this.#totals.of(this.#engine.epoch, account, plan);
    const [row] = await this.#engine.read(listStatement(account, plan, this.#engine.dialect, known.total));
    if (row === undefined) return undefined;
    return { records: bytesOrNullOf(row, 'records') ?? NO_RECORDS, ...known.learn(row) };
  }

  async export(account: AccountId, plan: ExportPlan): Promise<Export | undefined> {
    const known = this.#totals.of(this.#engine.epoch, account, plan);
    const { head, lines } = exportStatements(account, plan, this.#engine.dialect, known.total);
    const stream = await this.#engine.stream(head, lines);
    const [row] = stream.head;
    if (row === undefined) {
      await stream.close();
      return undefined;
    }
    const { revision, total } = known.learn(row);
    const rows = plan.page === undefined ? total : rowsOnPage(plan.page, total);
    let missing = rows;
    return {
      revision,
      total,
      rows,
      async next() {
        const piece = await stream.next();
        missing -= piece?.lines ?? 0;
        if (piece === undefined && missing !== 0) throw new Error('an export has other rows than were counted');
        return piece?.bytes;
      },
      close: stream.close,
    };
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
    const result = await this.#engine.write(
      `${account} ${plan.resource.name}`,
      createStatements(account, plan, this.#engine.dialect),
    );
    const row = result.rows[0]?.[0];
    if (row !== undefined) return { id: integerOf(row, 'id') };
    return (await this.revision(account, plan.resource)) === undefined ? 'no such account' : 'ids exhausted';
  }

  async load(account: AccountId, plan: LoadPlan, batches: AsyncIterable<readonly IncomingRow[]>): Promise<LoadResult> {
    const { dialect } = this.#engine;
    const statements = loadStatements(account, plan, dialect);
    const result = await this.#engine.writeFrom(stagingOf(plan, batches, dialect), Object.values(statements));
    return loadResult(plan, statements, result);
  }
}
