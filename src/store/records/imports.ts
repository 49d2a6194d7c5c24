/** Imports and positions of sources in SQL. */

import type { ResourceOutline } from '../../catalog/resource.ts';
import type { PageSelection } from '../../plan/plan.ts';
import { NO_DEADLINE } from '../../schedule/deadline.ts';
import { FairQueue } from '../../schedule/fair-queue.ts';
import { NO_ACCOUNT } from '../account-id.ts';
import type { SqlAuditTrail } from '../accounts/audit-trail.ts';
import type { Actor } from '../audit.ts';
import type { Engine } from '../engine/engine.ts';
import type {
  ImportPage,
  ImportRecord,
  Imports,
  NewImport,
  RepeatableImport,
  Source,
  SourceLimits,
  SourceOfAccount,
} from '../imports.ts';
import { amendKeyStatement } from '../sql/idempotency-statements.ts';
import {
  amendImportStatement,
  beginImportStatement,
  discardImportStatement,
  failDeadImportsStatement,
  failImportStatement,
  importOf,
  importStatement,
  importsStatement,
  latestSourcesStatement,
  pruneImportsStatement,
  removeSourceStatements,
  reportImportStatement,
  reportSourceStatements,
  sourceOf,
  sourceOfAccount,
  sourcesStatement,
} from '../sql/import-statements.ts';
import { integerOf, type Row } from '../sql/row.ts';
import type { Statement } from '../sql/statement.ts';
import type { AccountId, Caller, NoAccess } from '../store.ts';
import { jobFor } from './jobs.ts';

/** Accounts take turns, and each has one report under way, so that they do not delay other writes of a database with one writer. */
const REPORTS = { slots: 2, maxRunning: 1, maxQueued: 100 };

/** Roughly how long a report takes, in milliseconds. */
const REPORT_TIME = 5;

export class SqlImports implements Imports {
  readonly #engine: Engine;
  readonly #reports: FairQueue;
  readonly #audit: SqlAuditTrail;

  constructor(engine: Engine, audit: SqlAuditTrail) {
    this.#reports = new FairQueue(REPORTS, engine.clock);
    this.#engine = engine;
    this.#audit = audit;
  }

  async begin(account: AccountId, id: string, entry: NewImport): Promise<void> {
    const by = entry.by ?? this.#audit.actor;
    await this.#engine.write([beginImportStatement(account, id, entry, by, this.#engine.dialect)], account);
  }

  report(account: AccountId, id: string, rows: number): Promise<boolean> {
    return this.#change(account, reportImportStatement(account, id, rows, this.#engine.dialect));
  }

  fail(account: AccountId, id: string, problem: string): Promise<boolean> {
    return this.#change(account, failImportStatement(account, id, problem, this.#engine.dialect));
  }

  async discard(account: AccountId, id: string): Promise<void> {
    await this.#engine.write([discardImportStatement(account, id, this.#engine.dialect)], account);
  }

  async find(caller: Caller, id: string): Promise<ImportRecord | undefined | NoAccess> {
    const rows = await this.#read(caller, importStatement(caller, id, this.#engine.dialect));
    return rows.length === 0 ? 'no access' : rows.filter(isFound).map(importOf)[0];
  }

  async list(
    caller: Caller,
    resources: readonly ResourceOutline[],
    page: PageSelection,
  ): Promise<ImportPage | NoAccess> {
    const names = resources.map(({ name }) => name);
    const rows = await this.#read(caller, importsStatement(caller, names, page, this.#engine.dialect));
    const [first] = rows;
    if (first === undefined) return 'no access';
    return { imports: rows.filter(isFound).map(importOf), total: integerOf(first, 'total') };
  }

  async amend(account: AccountId, id: string, result: string, repeated?: RepeatableImport): Promise<void> {
    const { dialect } = this.#engine;
    const statements = [
      amendImportStatement(account, id, result, dialect),
      ...(repeated ? [amendKeyStatement(account, repeated.resource, repeated.key, result, dialect)] : []),
    ];
    await this.#engine.write(statements, account);
  }

  async sources(caller: Caller): Promise<readonly Source[] | NoAccess> {
    const rows = await this.#sources(caller, undefined);
    return rows === 'no access' ? rows : rows.map(sourceOf);
  }

  async source(caller: Caller, name: string): Promise<Source | undefined | NoAccess> {
    const rows = await this.#sources(caller, name);
    return rows === 'no access' ? rows : rows.map(sourceOf)[0];
  }

  async reportSource(caller: Caller, name: string, error: string | null): Promise<Source | undefined | NoAccess> {
    this.#engine.requireRoom();
    const { account, deadline = NO_DEADLINE } = caller;
    const statements = reportSourceStatements(caller, name, error, this.#engine.dialect);
    const job = { account, cost: REPORT_TIME, deadline };
    await this.#reports.run(job, () => this.#engine.write(statements, account));
    return this.source(caller, name);
  }

  async removeSource(
    caller: Caller,
    source: Pick<Source, 'name' | 'resource'>,
    by?: Actor,
  ): Promise<boolean | NoAccess> {
    const { account, deadline = NO_DEADLINE } = caller;
    const { access, remove, entry } = removeSourceStatements(caller, source, this.#engine.dialect);
    const all = [access, remove, this.#audit.statement(entry, by)];
    const job = { account, cost: REPORT_TIME, deadline };
    const { isCommitted, rows } = await this.#reports.run(job, () => this.#engine.write(all, account));
    if (isCommitted) return true;
    return all[rows.length - 1] === access ? 'no access' : false;
  }

  async latestSources(limits: SourceLimits): Promise<readonly SourceOfAccount[]> {
    const statement = latestSourcesStatement(limits, this.#engine.dialect);
    const rows = await this.#engine.slow(jobFor({ account: NO_ACCOUNT }), ({ read }) => read(statement));
    return rows.map(sourceOfAccount);
  }

  async prune(before: string): Promise<void> {
    await this.#engine.write([pruneImportsStatement(before, this.#engine.dialect)]);
  }

  /**
   * No row without access, and one of nulls if nothing was found. Whether an import died is decided in the database: from then on, it cannot end in
   * another way.
   */
  async #read({ account }: Caller, statement: Statement): Promise<readonly Row[]> {
    const read = () => this.#engine.reserved(statement, account);
    const rows = await read();
    if (rows.filter(isFound).every((row) => integerOf(row, 'is_dead') === 0)) return rows;
    await this.#engine.write([failDeadImportsStatement(account, this.#engine.dialect)], account);
    return read();
  }

  /** Without access, there is no row; if nothing was found, there is one of nulls. */
  async #sources(caller: Caller, name: string | undefined): Promise<readonly Row[] | NoAccess> {
    const statement = sourcesStatement(caller, name, this.#engine.dialect);
    const rows = await this.#engine.reserved(statement, caller.account);
    return rows.length === 0 ? 'no access' : rows.filter((row) => row['name'] !== null);
  }

  async #change(account: AccountId, statement: Statement): Promise<boolean> {
    const { rows } = await this.#engine.write([statement], account);
    return rows[0]?.[0] !== undefined;
  }
}

/** The row of a list is one of nulls if nothing was found. */
function isFound(row: Row): boolean {
  return row['id'] !== null;
}
