/** Accounts in SQL. */

import { catalog } from '../catalog/catalog.ts';
import { newAccessVersion } from './access-version.ts';
import type { SqlAuditTrail } from './audit-trail.ts';
import type { Engine } from './engine/engine.ts';
import { inSlices } from './engine/in-slices.ts';
import { newAccountStatements } from './new-accounts.ts';
import { ACCOUNT_TABLES, LARGE_TABLES } from './sql/account-tables.ts';
import { accountName, jsonObject, numberOrNull } from './sql/audit-statements.ts';
import type { Dialect } from './sql/dialect.ts';
import { integerOf, integerOrNullOf, type Row, textOf } from './sql/row.ts';
import { bind, bindList, type Sql, sql, trusted } from './sql/sql.ts';
import { compile, type Statement } from './sql/statement.ts';
import type { Account, AccountId, AccountSummary, Accounts, AddedAccounts, NewAccount, OnRemoved } from './store.ts';

/** How many rows are removed in one transaction. That takes a few tenths of a second at most. */
const REMOVED_AT_ONCE = 2_000;

export class SqlAccounts implements Accounts {
  readonly #engine: Engine;
  readonly #audit: SqlAuditTrail;

  constructor(engine: Engine, audit: SqlAuditTrail) {
    this.#engine = engine;
    this.#audit = audit;
  }

  async add(name: string, now: string): Promise<Account | undefined> {
    const result = await this.addAll([{ name, rateLimit: null, keys: [] }], now);
    return result.kind === 'added' ? result.accounts[0] : undefined;
  }

  async addAll(accounts: readonly NewAccount[], now: string): Promise<AddedAccounts> {
    const { dialect } = this.#engine;
    const { all, taken, added } = newAccountStatements(accounts, now, this.#columns(), this.#audit, dialect);
    const { isCommitted, rows } = await this.#engine.write(all);
    const rowsOf = (statement: Statement) => rows[all.indexOf(statement)] ?? [];
    return isCommitted
      ? { kind: 'added', accounts: rowsOf(added).map(accountOf) }
      : { kind: 'names taken', names: rowsOf(taken).map((row) => textOf(row, 'name')) };
  }

  async find(name: string): Promise<Account | undefined> {
    const [row] = await this.#engine.reserved(
      compile(sql`SELECT ${this.#columns()} FROM account WHERE name = ${bind('text', name)}`, this.#engine.dialect),
    );
    return row && accountOf(row);
  }

  async isEmpty(): Promise<boolean> {
    const rows = await this.#engine.reserved(
      compile(sql`SELECT 1 AS found FROM account LIMIT 1`, this.#engine.dialect),
    );
    return rows.length === 0;
  }

  async list(): Promise<readonly AccountSummary[]> {
    const rows = await this.#engine.reserved(
      compile(
        sql`SELECT ${this.#columns()}, resource, rows FROM account JOIN ledger ON ledger.account_id = account.id ORDER BY name, resource`,
        this.#engine.dialect,
      ),
      'several',
    );
    const accounts = new Map<string, AccountSummary & { rows: Map<string, number> }>();
    for (const row of rows) {
      const account = accountOf(row);
      const summary = accounts.get(account.name) ?? { ...account, rows: new Map() };
      summary.rows.set(textOf(row, 'resource'), integerOf(row, 'rows'));
      accounts.set(account.name, summary);
    }
    return [...accounts.values()];
  }

  async revisions(names: readonly string[]): Promise<ReadonlyMap<string, ReadonlyMap<string, number>>> {
    const { dialect } = this.#engine;
    const rows =
      names.length === 0
        ? []
        : await this.#engine.reserved(
            compile(
              sql`SELECT name, resource, revision FROM account JOIN ledger ON ledger.account_id = account.id
                WHERE ${dialect.isIn(sql`name`, bindList('text', names), false)} ORDER BY name, resource`,
              dialect,
            ),
            'several',
          );
    const revisions = new Map<string, Map<string, number>>();
    for (const row of rows) {
      const account = textOf(row, 'name');
      const known = revisions.get(account) ?? new Map<string, number>();
      revisions.set(account, known.set(textOf(row, 'resource'), integerOf(row, 'revision')));
    }
    return revisions;
  }

  /** From the first transaction on, the account does not exist any more. What it leaves behind is removed in short ones. */
  async remove(account: AccountId, onRemoved?: OnRemoved): Promise<void> {
    const owner = bind('integer', account);
    const { dialect } = this.#engine;
    const rowsOf = (resource: string) =>
      sql`coalesce((SELECT rows FROM ledger WHERE account_id = ${owner} AND resource = ${bind('text', resource)}), 0)`;
    const records = jsonObject(Object.fromEntries(catalog.map(({ name }) => [name, rowsOf(name)])));
    const small = ACCOUNT_TABLES.filter((table) => !LARGE_TABLES.has(table));
    await this.#engine.write([
      // Locked first: concurrent writers either hold its rows and finish before, or find none.
      compile(sql`UPDATE ledger SET rows = rows WHERE account_id = ${owner}`, dialect),
      this.#audit.statement({
        action: 'account removed',
        account: accountName(sql`${owner}`),
        details: { records },
      }),
      compile(
        sql`INSERT INTO removal (account_id, began_at) SELECT account.id, ${dialect.now} FROM account WHERE account.id = ${owner}`,
        dialect,
      ),
      ...small.map((table) => compile(sql`DELETE FROM ${trusted(table)} WHERE account_id = ${owner}`, dialect)),
      // Of two commands that remove it at the same time, the second one leaves no entry.
      compile(sql`DELETE FROM account WHERE id = ${owner} RETURNING id`, dialect, 'some'),
    ]);
    await this.#finishRemoval(account, onRemoved);
    await this.#engine.reclaim();
  }

  async finishRemovals(): Promise<void> {
    const { dialect } = this.#engine;
    const removals = await this.#engine.reserved(compile(sql`SELECT account_id FROM removal`, dialect), 'several');
    for (const row of removals) await this.#finishRemoval(integerOf(row, 'account_id'));
    if (removals.length > 0) await this.#engine.reclaim();
  }

  async #finishRemoval(account: AccountId, onRemoved?: OnRemoved): Promise<void> {
    const owner = bind('integer', account);
    const { dialect } = this.#engine;
    let removed = 0;
    for (const [table, key] of LARGE_TABLES) {
      const [name, columns] = [trusted(table), trusted(key)];
      const some = sql`DELETE FROM ${name} WHERE account_id = ${owner} AND (${columns}) IN (
          SELECT ${columns} FROM ${name} WHERE account_id = ${owner} LIMIT ${trusted(String(REMOVED_AT_ONCE))}
        ) RETURNING account_id`;
      await inSlices(async () => {
        const { rows } = await this.#engine.write([compile(some, dialect)], account);
        const count = rows[0]?.length ?? 0;
        removed += count;
        onRemoved?.(removed);
        return count === REMOVED_AT_ONCE ? 'more' : 'done';
      });
    }
    await this.#engine.write([compile(sql`DELETE FROM removal WHERE account_id = ${owner}`, dialect)], account);
  }

  async setRateLimit(account: AccountId, rateLimit: number | null): Promise<void> {
    const [owner, limit] = [bind('integer', account), bind('integer', rateLimit)];
    const entry = this.#audit.statement({
      action: 'account limit changed',
      account: sql`account.name`,
      details: { from: numberOrNull(sql`account.rate_limit`), to: rateLimit },
      from: sql`account WHERE account.id = ${owner}`,
    });
    const update = sql`UPDATE account SET rate_limit = ${limit}, access = ${bind('integer', newAccessVersion())}
      WHERE id = ${owner} AND rate_limit IS DISTINCT FROM ${limit} RETURNING id`;
    await this.#engine.write([entry, compile(update, this.#engine.dialect, 'some')]);
  }

  #columns(): Sql {
    return accountColumns(this.#engine.dialect);
  }
}

export function accountColumns(dialect: Dialect): Sql {
  return sql`account.id, account.name, ${dialect.print('account.created_at', 'timestamp')} AS created_at, account.rate_limit`;
}

export function accountOf(row: Row): Account {
  return {
    id: integerOf(row, 'id'),
    name: textOf(row, 'name'),
    createdAt: textOf(row, 'created_at'),
    rateLimit: integerOrNullOf(row, 'rate_limit'),
  };
}
