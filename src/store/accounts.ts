/** Accounts in SQL. */

import { catalog } from '../catalog/catalog.ts';
import { newAccessVersion } from './access-version.ts';
import type { SqlAuditTrail } from './audit-trail.ts';
import type { Engine } from './engine/engine.ts';
import { newAccountStatements } from './new-accounts.ts';
import { ACCOUNT_TABLES } from './sql/account-tables.ts';
import { accountName, jsonObject, numberOrNull } from './sql/audit-statements.ts';
import type { Dialect } from './sql/dialect.ts';
import { integerOf, integerOrNullOf, type Row, textOf } from './sql/row.ts';
import { bind, bindList, type Sql, sql, trusted } from './sql/sql.ts';
import { compile, type Statement } from './sql/statement.ts';
import type { Account, AccountId, AccountSummary, Accounts, AddedAccounts, NewAccount } from './store.ts';

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

  /** The ledger is locked first: concurrent writers either hold its row and finish before, or find none. */
  async remove(account: AccountId): Promise<void> {
    const owner = bind('integer', account);
    const owned = ACCOUNT_TABLES.map((table) => sql`DELETE FROM ${trusted(table)} WHERE account_id = ${owner}`);
    const rowsOf = (resource: string) =>
      sql`coalesce((SELECT rows FROM ledger WHERE account_id = ${owner} AND resource = ${bind('text', resource)}), 0)`;
    const records = jsonObject(Object.fromEntries(catalog.map(({ name }) => [name, rowsOf(name)])));
    const { dialect } = this.#engine;
    await this.#engine.write([
      compile(sql`UPDATE ledger SET rows = rows WHERE account_id = ${owner}`, dialect),
      this.#audit.statement({
        action: 'account removed',
        account: accountName(sql`${owner}`),
        details: { records },
      }),
      ...owned.map((statement) => compile(statement, dialect)),
      // Of two commands that remove it at the same time, the second one leaves no entry.
      compile(sql`DELETE FROM account WHERE id = ${owner} RETURNING id`, dialect, 'some'),
    ]);
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
