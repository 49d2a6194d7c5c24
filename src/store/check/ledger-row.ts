/** The ledger row must agree with the records and tombstones that it counts. */

import type { Resource } from '../../catalog/resource.ts';
import type { Engine } from '../engine/engine.ts';
import type { Dialect } from '../sql/dialect.ts';
import { CURRENT_GENERATION, enterAllStatements, ledgerRow } from '../sql/ledger.ts';
import { integerOf } from '../sql/row.ts';
import { bind, type Sql, sql, trusted } from '../sql/sql.ts';
import { compile, type Statement } from '../sql/statement.ts';
import { recordSize } from '../sql/storage-use.ts';
import { type LedgerCheck, type LedgerKey, ledgerFinding } from './check.ts';
import { findings, NOTHING_FOUND } from './findings.ts';

/** A column of the ledger that can be derived from what it describes. */
interface DerivedColumn {
  readonly column: 'rows' | 'bytes' | 'last_id' | 'revision';
  derived(ledger: LedgerKey): Sql;
  isWrong(stored: number, derived: number): boolean;
  /** What the derived value is, in words. */
  readonly meaning: string;
}

const rows: DerivedColumn = {
  column: 'rows',
  derived: ({ account, resource }) =>
    sql`(SELECT count(*) FROM ${trusted(resource.name)} WHERE account_id = ${bind('integer', account.id)})`,
  isWrong: (stored, derived) => stored !== derived,
  meaning: 'the number of records',
};

const bytes: DerivedColumn = {
  column: 'bytes',
  derived: ({ account, resource }) =>
    sql`(SELECT CAST(coalesce(sum(${recordSize(resource)}), 0) AS bigint) FROM ${trusted(resource.name)} WHERE account_id = ${bind('integer', account.id)})`,
  isWrong: (stored, derived) => stored !== derived,
  meaning: 'the size of the records',
};

const lastId: DerivedColumn = {
  column: 'last_id',
  derived: (ledger) => largest(ledger, 'id'),
  isWrong: (stored, derived) => stored < derived,
  meaning: 'the largest id of a record or tombstone',
};

const revision: DerivedColumn = {
  column: 'revision',
  derived: (ledger) => largest(ledger, 'revision'),
  isWrong: (stored, derived) => stored < derived,
  meaning: 'the largest revision of a record or tombstone',
};

export const missingLedgers: LedgerCheck = {
  scope: 'ledger',
  name: 'ledgers',
  verifies: 'every account has a ledger row for every resource',
  repairs: 'derives the row from the records, in a new generation: cursors expire',
  async find(ledger) {
    const found = await ledger.snapshot.read(
      compile(
        sql`SELECT 1 AS found FROM ledger WHERE ${ledgerRow(bind('integer', ledger.account.id), ledger.resource)}`,
        ledger.engine.dialect,
      ),
    );
    return found.length > 0 ? NOTHING_FOUND : findings([ledgerFinding(ledger, 'has no ledger row')]);
  },
  async repair(ledger, engine) {
    await engine.beginGeneration();
    const insert = sql`INSERT INTO ledger (account_id, resource, revision, rows, bytes, last_id, generation, began)
      SELECT account.id, ${bind('text', ledger.resource.name)}, ${revision.derived(ledger)} + 1, ${rows.derived(ledger)},
        ${bytes.derived(ledger)}, ${lastId.derived(ledger)}, ${CURRENT_GENERATION}, 0
      FROM account WHERE account.id = ${bind('integer', ledger.account.id)}
      ON CONFLICT (account_id, resource) DO NOTHING`;
    await engine.write([compile(insert, engine.dialect)], ledger.account.id);
  },
};

export const ledgerRows = derivedCheck(rows, {
  name: 'ledger rows',
  verifies: 'the ledger has the number of records',
});

export const ledgerBytes = derivedCheck(bytes, {
  name: 'ledger bytes',
  verifies: 'the ledger has the size of the records, by which storage is limited',
});

export const ledgerLastIds = derivedCheck(lastId, {
  name: 'ledger last ids',
  verifies: 'no record or tombstone has an id that the ledger would assign again',
});

export const ledgerRevisions = derivedCheck(revision, {
  name: 'ledger revisions',
  verifies: 'no record or tombstone has a revision that the ledger has not reached',
});

function derivedCheck(derivation: DerivedColumn, described: Pick<LedgerCheck, 'name' | 'verifies'>): LedgerCheck {
  const { column, derived, isWrong, meaning } = derivation;
  return {
    ...described,
    scope: 'ledger',
    repairs: `sets it to ${meaning}`,
    async find(ledger) {
      const account = bind('integer', ledger.account.id);
      const [row] = await ledger.snapshot.read(
        compile(
          sql`SELECT ${trusted(column)} AS stored, ${derived(ledger)} AS derived FROM ledger WHERE ${ledgerRow(account, ledger.resource)}`,
          ledger.engine.dialect,
        ),
      );
      if (row === undefined) return NOTHING_FOUND;
      const [stored, actual] = [integerOf(row, 'stored'), integerOf(row, 'derived')];
      if (!isWrong(stored, actual)) return NOTHING_FOUND;
      return findings([ledgerFinding(ledger, `has ${column} ${stored} in the ledger; ${meaning} is ${actual}`)]);
    },
    repair: (ledger, engine) => rewriteLedger(ledger, engine, sql`${trusted(column)} = ${derived(ledger)}`),
  };
}

/** The row is locked by the first statement, so nothing is written between deriving the value and committing it. */
async function rewriteLedger(ledger: LedgerKey, engine: Engine, assignment: Sql): Promise<void> {
  const row = ledgerRow(bind('integer', ledger.account.id), ledger.resource);
  const lock = compile(sql`UPDATE ledger SET rows = rows WHERE ${row}`, engine.dialect);
  const rewrite = compile(sql`UPDATE ledger SET ${assignment} WHERE ${row}`, engine.dialect);
  await engine.write([lock, rewrite, ...advance(ledger, engine)], ledger.account.id);
}

/** Brings the ledger into the current generation, and to a new revision. */
export function advance({ account, resource }: LedgerKey, { dialect }: Engine): readonly Statement[] {
  return advanceAll(ledgerRow(bind('integer', account.id), resource), dialect);
}

/** The same for the ledgers of all accounts. */
export function advanceEach(resource: Resource, { dialect }: Engine): readonly Statement[] {
  return advanceAll(sql`ledger.resource = ${bind('text', resource.name)}`, dialect);
}

function advanceAll(condition: Sql, dialect: Dialect): readonly Statement[] {
  const enter = Object.values<Statement>({ ...enterAllStatements(condition, dialect) });
  return [...enter, compile(sql`UPDATE ledger SET revision = revision + 1 WHERE ${condition}`, dialect)];
}

function largest({ account, resource }: LedgerKey, column: 'id' | 'revision'): Sql {
  const [owner, value] = [bind('integer', account.id), trusted(column)];
  return sql`(SELECT max(value) FROM (
      SELECT 0 AS value UNION ALL SELECT max(${value}) FROM ${trusted(resource.name)} WHERE account_id = ${owner}
      UNION ALL SELECT max(${value}) FROM tombstone WHERE account_id = ${owner} AND resource = ${bind('text', resource.name)}
    ) AS largest)`;
}
