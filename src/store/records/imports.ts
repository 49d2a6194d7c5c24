/** Imports and positions of sources in SQL. */

import type { ResourceOutline } from '../../catalog/resource.ts';
import { NO_DEADLINE } from '../../schedule/deadline.ts';
import { FairQueue } from '../../schedule/fair-queue.ts';
import { NO_ACCOUNT } from '../account-id.ts';
import type { SqlAuditTrail } from '../accounts/audit-trail.ts';
import type { Engine } from '../engine/engine.ts';
import type {
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
  importsStatement,
  latestSourcesStatement,
  pruneImportsStatement,
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
  readonly #reports = new FairQueue(REPORTS);
  readonly #audit: SqlAuditTrail;

  constructor(engine: Engine, audit: SqlAuditTrail) {
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
    const found = await this.#read(caller, { id });
    return found === 'no access' ? found : found[0];
  }

  list(
    caller: Caller,
    resources: readonly ResourceOutline[],
    limit: number,
  ): Promise<readonly ImportRecord[] | NoAccess> {
    return this.#read(caller, { limit, resources: resources.map(({ name }) => name) });
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
    const rows = await this.#reserved(caller, sourcesStatement(caller, undefined, this.#engine.dialect), 'name');
    return rows === 'no access' ? rows : rows.map(sourceOf);
  }

  async source(caller: Caller, name: string): Promise<Source | undefined | NoAccess> {
    const rows = await this.#reserved(caller, sourcesStatement(caller, name, this.#engine.dialect), 'name');
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

  async latestSources(limits: SourceLimits): Promise<readonly SourceOfAccount[]> {
    const statement = latestSourcesStatement(limits, this.#engine.dialect);
    const rows = await this.#engine.slow(jobFor({ account: NO_ACCOUNT }), ({ read }) => read(statement));
    return rows.map(sourceOfAccount);
  }

  async prune(before: string): Promise<void> {
    await this.#engine.write([pruneImportsStatement(before, this.#engine.dialect)]);
  }

  /** Whether an import died is decided in the database: from then on, it cannot end in another way. */
  async #read(
    caller: Caller,
    which: Parameters<typeof importsStatement>[1],
  ): Promise<readonly ImportRecord[] | NoAccess> {
    const { dialect } = this.#engine;
    const read = () => this.#reserved(caller, importsStatement(caller, which, dialect), 'id');
    const rows = await read();
    if (rows === 'no access') return rows;
    if (rows.every((row) => integerOf(row, 'is_dead') === 0)) return rows.map(importOf);
    await this.#engine.write([failDeadImportsStatement(caller.account, dialect)], caller.account);
    const again = await read();
    return again === 'no access' ? again : again.map(importOf);
  }

  /** Without access, there is no row; if nothing was found, there is one of nulls. */
  async #reserved(caller: Caller, statement: Statement, key: string): Promise<readonly Row[] | NoAccess> {
    const rows = await this.#engine.reserved(statement, caller.account);
    return rows.length === 0 ? 'no access' : rows.filter((row) => row[key] !== null);
  }

  async #change(account: AccountId, statement: Statement): Promise<boolean> {
    const { rows } = await this.#engine.write([statement], account);
    return rows[0]?.[0] !== undefined;
  }
}
