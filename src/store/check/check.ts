/** What a check is: something about the database that must be true, how to find where it is not, and how to repair it. */

import type { Catalog } from '../../catalog/catalog.ts';
import type { Resource } from '../../catalog/resource.ts';
import type { AccountId } from '../account-id.ts';
import type { Engine, SnapshotReads } from '../engine/engine.ts';
import { integerOf, type Row } from '../sql/row.ts';
import { bind, type Sql, sql } from '../sql/sql.ts';
import { type CheckDescription, type Finding, type Findings, MAX_REPORTED_FINDINGS } from './findings.ts';

/** About one resource of one account. All checks of a ledger read the same snapshot. */
export interface LedgerCheck extends CheckDescription {
  readonly scope: 'ledger';
  find(ledger: CheckedLedger): Promise<Findings>;
  /** Concurrent writes wait for it, or it for them. What responses show afterwards has a new revision. */
  readonly repair?: (ledger: LedgerKey, engine: Engine) => Promise<void>;
}

/** About the database as a whole. */
export interface DatabaseCheck extends CheckDescription {
  readonly scope: 'database';
  find(engine: Engine, catalog: Catalog): Promise<Findings>;
  readonly repair?: (engine: Engine, findings: Findings, catalog: Catalog) => Promise<void>;
}

export type Check = LedgerCheck | DatabaseCheck;

export interface LedgerKey {
  readonly account: { readonly id: AccountId; readonly name: string };
  readonly resource: Resource;
}

export interface CheckedLedger extends LedgerKey {
  readonly engine: Engine;
  readonly snapshot: SnapshotReads;
}

/** An engine with the checks that depend on how it stores things. */
export interface CheckedEngine extends Engine {
  readonly checks: {
    /** Pages and indexes. */
    readonly storage: DatabaseCheck;
    readonly schema: DatabaseCheck;
    readonly searchIndexes: Check;
  };
}

/** The first ids that a query selects, and how many there are in all. */
export function firstIds(ids: Sql): Sql {
  return sql`SELECT id, count(*) OVER () AS found FROM (${ids}) AS wrong ORDER BY id LIMIT ${bind('integer', MAX_REPORTED_FINDINGS)}`;
}

/** The findings in the rows of `firstIds`. */
export function idFindings({ account, resource }: LedgerKey, rows: readonly Row[], detail: string): Findings {
  const [row] = rows;
  return {
    first: rows.map((found) => ({
      account: account.name,
      resource: resource.name,
      id: integerOf(found, 'id'),
      detail,
    })),
    count: row === undefined ? 0 : integerOf(row, 'found'),
  };
}

/** A finding about the ledger itself. */
export function ledgerFinding({ account, resource }: LedgerKey, detail: string): Finding {
  return { account: account.name, resource: resource.name, detail };
}
