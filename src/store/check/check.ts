/** What a check is: something about the database that must be true, how to find where it is not, and how to repair it. */

import type { Resource } from '../../catalog/resource.ts';
import type { AccountId } from '../account-id.ts';
import type { Engine, SnapshotReads } from '../engine/engine.ts';
import { integerOf, type Row } from '../sql/row.ts';
import { bind, type Sql, sql } from '../sql/sql.ts';

interface Described {
  /** As `stockbook check` prints it. */
  readonly name: string;
  /** What must be true. */
  readonly verifies: string;
  /** What `--repair` does, or why it cannot do anything. */
  readonly repairs: string;
}

/** About one resource of one account. All checks of a ledger read the same snapshot. */
export interface LedgerCheck extends Described {
  readonly scope: 'ledger';
  find(ledger: CheckedLedger): Promise<Findings>;
  /** Concurrent writes wait for it, or it for them. What responses show afterwards has a new revision. */
  readonly repair?: (ledger: LedgerKey, engine: Engine) => Promise<void>;
}

/** About the database as a whole. */
export interface DatabaseCheck extends Described {
  readonly scope: 'database';
  find(engine: Engine): Promise<Findings>;
  readonly repair?: (engine: Engine, findings: Findings) => Promise<void>;
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

export interface Finding {
  /** The account's name; absent if it does not exist, or if the finding is not about an account. */
  readonly account?: string;
  readonly resource?: string;
  readonly id?: number;
  /** What is wrong, in words that follow what it is about. */
  readonly detail: string;
}

/** The first findings, and how many there are. */
export interface Findings {
  readonly first: readonly Finding[];
  readonly count: number;
}

export const NOTHING_FOUND: Findings = { first: [], count: 0 };

/** How many findings of a check are reported one by one. */
export const MAX_REPORTED_FINDINGS = 20;

export function findings(all: readonly Finding[]): Findings {
  return { first: all.slice(0, MAX_REPORTED_FINDINGS), count: all.length };
}

export function merge(one: Findings, other: Findings): Findings {
  return { first: [...one.first, ...other.first].slice(0, MAX_REPORTED_FINDINGS), count: one.count + other.count };
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
