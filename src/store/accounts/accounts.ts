/** Accounts in SQL. */

import { resources } from '../../catalog/catalog.ts';
import { NO_ACCOUNT } from '../account-id.ts';
import type { Engine } from '../engine/engine.ts';
import { forEach } from '../engine/for-each.ts';
import { inSlices } from '../engine/in-slices.ts';
import { SliceSize } from '../engine/slice-size.ts';
import { withPatience } from '../engine/with-patience.ts';
import { jobFor } from '../records/jobs.ts';
import { ACCOUNT_TABLES, LARGE_TABLES } from '../sql/account-tables.ts';
import { accountName, jsonObject, numberOrNull } from '../sql/audit-statements.ts';
import type { Dialect } from '../sql/dialect.ts';
import { integerOf, integerOrNullOf, type Row, textOf, textOrNullOf } from '../sql/row.ts';
import { bind, bindList, type Sql, sql, trusted } from '../sql/sql.ts';
import { compile, type Statement } from '../sql/statement.ts';
import { storageUse } from '../sql/storage-use.ts';
import type {
  Account,
  AccountId,
  AccountLimits,
  AccountOverview,
  AccountSummary,
  Accounts,
  AddedAccounts,
  NewAccount,
  OnRemoved,
  StorageLimits,
  StorageUse,
  StoredTotal,
} from '../store.ts';
import { StoreUnavailable } from '../store-error.ts';
import { newAccessVersion } from './access-version.ts';
import { LIMITS, NO_LIMITS } from './account-limits.ts';
import type { SqlAuditTrail } from './audit-trail.ts';
import { newAccountStatements } from './new-accounts.ts';
import { storageOf } from './storage.ts';

/** How many rows are removed in one transaction. */
const REMOVED = { first: 250, min: 50, max: 20_000 };

/** The maximum number of accounts that are named as the fullest. */
const MAX_FULLEST = 20;

export class SqlAccounts implements Accounts {
  readonly #engine: Engine;
  readonly #audit: SqlAuditTrail;
  readonly #limits: StorageLimits;

  constructor(engine: Engine, audit: SqlAuditTrail, limits: StorageLimits) {
    this.#engine = engine;
    this.#audit = audit;
    this.#limits = limits;
  }

  async add(name: string, now: string): Promise<Account | undefined> {
    const result = await this.addAll([{ name, ...NO_LIMITS, keys: [] }], now);
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
        sql`SELECT ${this.#columns()}, resource, rows, bytes FROM account JOIN ledger ON ledger.account_id = account.id ORDER BY name, resource`,
        this.#engine.dialect,
      ),
      'several',
    );
    const accounts = new Map<string, AccountSummary & { rows: Map<string, number>; bytes: number }>();
    for (const row of rows) {
      const account = accountOf(row);
      const summary = accounts.get(account.name) ?? { ...account, rows: new Map(), bytes: 0 };
      summary.rows.set(textOf(row, 'resource'), integerOf(row, 'rows'));
      summary.bytes += integerOf(row, 'bytes');
      accounts.set(account.name, summary);
    }
    return [...accounts.values()];
  }

  async overview(names: readonly string[]): Promise<ReadonlyMap<string, AccountOverview>> {
    if (names.length === 0) return new Map();
    const { dialect } = this.#engine;
    const rows = await this.#engine.reserved(
      compile(
        sql`SELECT name, resource, revision, rows, bytes, record_limit, byte_limit FROM account JOIN ledger ON ledger.account_id = account.id
          WHERE ${dialect.isIn(sql`name`, bindList('text', names), false)} ORDER BY name, resource`,
        dialect,
      ),
      'several',
    );
    const byName = Map.groupBy(rows, (row) => textOf(row, 'name'));
    return new Map([...byName].map(([name, ledgers]) => [name, this.#overviewOf(ledgers)]));
  }

  #overviewOf(ledgers: readonly Row[]): AccountOverview {
    const sum = (column: string) => ledgers.reduce((total, row) => total + integerOf(row, column), 0);
    const [first = {}] = ledgers;
    return {
      revisions: new Map(ledgers.map((row) => [textOf(row, 'resource'), integerOf(row, 'revision')])),
      storage: {
        records: sum('rows'),
        bytes: sum('bytes'),
        limits: {
          records: integerOrNullOf(first, 'record_limit') ?? this.#limits.records,
          bytes: integerOrNullOf(first, 'byte_limit') ?? this.#limits.bytes,
        },
      },
    };
  }

  /** From the first transaction on, the account no longer exists. What it leaves behind is removed in short ones. */
  async remove(account: AccountId, onRemoved?: OnRemoved): Promise<'removed' | 'being removed'> {
    const owner = bind('integer', account);
    const { dialect } = this.#engine;
    const rowsOf = (resource: string) =>
      sql`coalesce((SELECT rows FROM ledger WHERE account_id = ${owner} AND resource = ${bind('text', resource)}), 0)`;
    const records = jsonObject(Object.fromEntries(resources.map(({ name }) => [name, rowsOf(name)])));
    const small = ACCOUNT_TABLES.filter((table) => !LARGE_TABLES.has(table));
    const statements = [
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
    ];
    await withPatience(this.#engine.clock, () => this.#engine.write(statements));
    try {
      await this.#finishRemoval(account, onRemoved);
    } catch (error) {
      if (error instanceof StoreUnavailable) return 'being removed';
      throw error;
    }
    return 'removed';
  }

  async finishRemovals(): Promise<void> {
    const { dialect } = this.#engine;
    const removals = await this.#engine.reserved(compile(sql`SELECT account_id FROM removal`, dialect), 'several');
    await forEach(removals, (row) => this.#finishRemoval(integerOf(row, 'account_id')));
  }

  async #finishRemoval(account: AccountId, onRemoved?: OnRemoved): Promise<void> {
    const owner = bind('integer', account);
    const { dialect } = this.#engine;
    // Two processes may finish the same removal: each slice locks it first, and whoever does not find it any more is done.
    const lock = compile(
      sql`UPDATE removal SET began_at = began_at WHERE account_id = ${owner} RETURNING account_id`,
      dialect,
      'some',
    );
    const clock = compile(sql`SELECT ${dialect.clock} AS milliseconds`, dialect);
    let removed = 0;
    for (const [table, key] of LARGE_TABLES) {
      const [name, columns] = [trusted(table), trusted(key)];
      const { before, after, catchUp } = await this.#engine.bulkRemoval(table, account);
      const slice = new SliceSize(REMOVED);
      await inSlices(this.#engine.clock, async () => {
        const { size } = slice;
        const some = sql`DELETE FROM ${name} WHERE account_id = ${owner} AND (${columns}) IN (
            SELECT ${columns} FROM ${name} WHERE account_id = ${owner} ORDER BY ${columns} LIMIT ${bind('integer', size)}
          ) RETURNING account_id`;
        const statements = [lock, clock, ...before, compile(some, dialect), ...after, clock];
        const { isCommitted, rows } = await withPatience(this.#engine.clock, () =>
          this.#engine.write(statements, account),
        );
        // Another process has finished the removal.
        if (!isCommitted) return 'done';
        const [began, ended] = [rows[1], rows.at(-1)].map((time) => integerOf(time?.[0] ?? {}, 'milliseconds'));
        slice.took(Number(ended) - Number(began));
        const count = rows[2 + before.length]?.length ?? 0;
        removed += count;
        onRemoved?.(removed);
        await catchUp(count);
        return count === size ? 'more' : 'done';
      });
    }
    // Before the row that tells others of it: a process that is killed here leaves the rest to them.
    await this.#engine.reclaim();
    await this.#engine.write([compile(sql`DELETE FROM removal WHERE account_id = ${owner}`, dialect)], account);
  }

  async setLimits(account: AccountId, limits: Partial<AccountLimits>): Promise<void> {
    const { dialect } = this.#engine;
    const owner = bind('integer', account);
    const statements = LIMITS.flatMap(({ name, column, title }) => {
      const to = limits[name];
      if (to === undefined) return [];
      const [limit, current] = [bind('integer', to), trusted(column)];
      const isOther = sql`id = ${owner} AND ${current} IS DISTINCT FROM ${limit}`;
      const entry = this.#audit.statement({
        action: 'account limit changed',
        account: sql`account.name`,
        details: { limit: title, from: numberOrNull(sql`account.${current}`), to },
        from: sql`account WHERE ${isOther}`,
      });
      const update = sql`UPDATE account SET ${current} = ${limit}, access = ${bind('integer', newAccessVersion())} WHERE ${isOther}`;
      return [entry, compile(update, dialect)];
    });
    await this.#engine.write(statements);
  }

  async setCurrency(account: AccountId, currency: string | null): Promise<void> {
    const { dialect } = this.#engine;
    const to = bind('text', currency);
    const isOther = sql`id = ${bind('integer', account)} AND currency IS DISTINCT FROM ${to}`;
    const entry = this.#audit.statement({
      action: 'account currency changed',
      account: sql`account.name`,
      // A code has nothing that JSON would escape.
      details: { from: sql`coalesce('"' || account.currency || '"', 'null')`, to: currency },
      from: sql`account WHERE ${isOther}`,
    });
    const update = sql`UPDATE account SET currency = ${to}, access = ${bind('integer', newAccessVersion())} WHERE ${isOther}`;
    await this.#engine.write([entry, compile(update, dialect)]);
  }

  async storage(account: AccountId): Promise<StorageUse | undefined> {
    const owner = bind('integer', account);
    const [row] = await this.#engine.reserved(
      compile(
        sql`SELECT * FROM (${storageUse(owner, this.#limits)}) AS storage WHERE EXISTS (SELECT 1 FROM account WHERE id = ${owner})`,
        this.#engine.dialect,
      ),
      account,
    );
    return row && storageOf(row);
  }

  async storedTotal(): Promise<StoredTotal> {
    const { dialect } = this.#engine;
    const used = sql`SELECT account_id, sum(rows) AS records, sum(bytes) AS bytes FROM ledger GROUP BY account_id`;
    const share = (use: string, column: string, fallback: number) =>
      sql`CASE coalesce(${trusted(column)}, ${bind('integer', fallback)}) WHEN 0 THEN 0 ELSE 1e0 * ${trusted(use)} / coalesce(${trusted(column)}, ${bind('integer', fallback)}) END`;
    const { records, bytes } = this.#limits;
    const shares = sql`SELECT name, records, bytes,
        ${share('records', 'record_limit', records)} AS record_share, ${share('bytes', 'byte_limit', bytes)} AS byte_share
      FROM account JOIN (${used}) AS used ON used.account_id = account.id`;
    const rows = await this.#engine.slow(jobFor({ account: NO_ACCOUNT }), ({ read }) =>
      read(
        compile(
          sql`SELECT name, CASE WHEN record_share > byte_share THEN record_share ELSE byte_share END AS share,
              CAST(sum(records) OVER () AS bigint) AS all_records, CAST(sum(bytes) OVER () AS bigint) AS all_bytes
            FROM (${shares}) AS shares ORDER BY share DESC, name LIMIT ${trusted(String(MAX_FULLEST))}`,
          dialect,
        ),
      ),
    );
    const [first = {}] = rows;
    return {
      records: Number(first['all_records'] ?? 0),
      bytes: Number(first['all_bytes'] ?? 0),
      fullest: rows.map((row) => [textOf(row, 'name'), Number(row['share'])] as const).filter(([, used]) => used > 0),
    };
  }

  #columns(): Sql {
    return accountColumns(this.#engine.dialect);
  }
}

export function accountColumns(dialect: Dialect): Sql {
  return sql`account.id, account.name, ${dialect.print('account.created_at', 'timestamp')} AS created_at,
    account.rate_limit, account.record_limit, account.byte_limit, account.currency`;
}

export function accountOf(row: Row): Account {
  return {
    id: integerOf(row, 'id'),
    name: textOf(row, 'name'),
    createdAt: textOf(row, 'created_at'),
    rateLimit: integerOrNullOf(row, 'rate_limit'),
    recordLimit: integerOrNullOf(row, 'record_limit'),
    byteLimit: integerOrNullOf(row, 'byte_limit'),
    currency: textOrNullOf(row, 'currency'),
  };
}
