/** The statements that add accounts with their limits and keys: any number of them, in one transaction and as few statements as the engine allows. */

import { resources } from '../../catalog/catalog.ts';
import { numberOrNull } from '../sql/audit-statements.ts';
import type { Dialect } from '../sql/dialect.ts';
import { CURRENT_GENERATION } from '../sql/ledger.ts';
import { bind, bindList, join, type Sql, sql, trusted } from '../sql/sql.ts';
import { compile, compileEach, type Statement } from '../sql/statement.ts';
import type { NewAccount } from '../store.ts';
import { newAccessVersion } from './access-version.ts';
import { LIMITS } from './account-limits.ts';
import type { SqlAuditTrail } from './audit-trail.ts';

const ACCOUNT_COLUMNS = [
  { name: 'name', storage: 'text' },
  { name: 'access', storage: 'integer' },
  { name: 'rate_limit', storage: 'integer' },
  { name: 'record_limit', storage: 'integer' },
  { name: 'byte_limit', storage: 'integer' },
] as const;

const KEY_COLUMNS = [
  { name: 'id', storage: 'text' },
  { name: 'account_number', storage: 'integer' },
  { name: 'name', storage: 'text' },
  { name: 'secret_hash', storage: 'text' },
  { name: 'scopes', storage: 'text' },
  { name: 'expires_at', storage: 'timestamp' },
  { name: 'rate_limit', storage: 'integer' },
] as const;

export interface NewAccountStatements {
  readonly all: readonly Statement[];
  /** Returns the names that are taken. If there are any, nothing is added. */
  readonly taken: Statement;
  /** Returns the accounts, in their order. */
  readonly added: Statement;
}

/** `columns` selects those of an account. */
export function newAccountStatements(
  accounts: readonly NewAccount[],
  now: string,
  columns: Sql,
  audit: Pick<SqlAuditTrail, 'statement'>,
  dialect: Dialect,
): NewAccountStatements {
  const names = accounts.map(({ name }) => name);
  const taken = compile(
    sql`SELECT name FROM account WHERE ${dialect.isIn(sql`name`, bindList('text', names), false)} ORDER BY name`,
    dialect,
    'none',
  );
  const added = compile(
    sql`SELECT ${columns} FROM account WHERE ${isNew(accounts.length)} ORDER BY account.id`,
    dialect,
  );
  const all = [
    // Whoever adds accounts at the same time waits for this row.
    compile(
      sql`UPDATE counter SET value = value + ${bind('integer', accounts.length)} WHERE name = 'account'`,
      dialect,
    ),
    taken,
    ...insertAccounts(accounts, now, dialect),
    insertLedgers(accounts.length, dialect),
    ...insertKeys(accounts, now, dialect),
    ...entries(accounts, audit, dialect),
    added,
  ];
  return { all, taken, added };
}

/** The number before that of the first account. */
function base(count: number): Sql {
  return sql`(SELECT value FROM counter WHERE name = 'account') - ${bind('integer', count)}`;
}

function isNew(count: number): Sql {
  return sql`account.id > ${base(count)}`;
}

function insertAccounts(accounts: readonly NewAccount[], now: string, dialect: Dialect): readonly Statement[] {
  const rows = accounts.map(({ name, rateLimit, recordLimit, byteLimit }) => [
    name,
    newAccessVersion(),
    rateLimit,
    recordLimit,
    byteLimit,
  ]);
  const { table, runs } = dialect.incoming(ACCOUNT_COLUMNS, rows);
  const limits = trusted(LIMITS.map(({ column }) => column).join(', '));
  const insert = sql`INSERT INTO account (id, name, created_at, access, ${limits})
    SELECT ${base(accounts.length)} + incoming.n, incoming.name, ${bind('timestamp', now)}, incoming.access, ${limits}
    FROM ${table}`;
  return compileEach(insert, runs, dialect);
}

function insertLedgers(count: number, dialect: Dialect): Statement {
  const names = resources.map((resource) => sql`SELECT ${bind('text', resource.name)} AS name`);
  return compile(
    sql`INSERT INTO ledger (account_id, resource, revision, rows, last_id, generation, began)
      SELECT account.id, resource.name, 0, 0, 0, ${CURRENT_GENERATION}, 0
      FROM account, (${join(names, ' UNION ALL ')}) AS resource WHERE ${isNew(count)}`,
    dialect,
  );
}

function insertKeys(accounts: readonly NewAccount[], now: string, dialect: Dialect): readonly Statement[] {
  const rows = accounts.flatMap(({ keys }, index) =>
    keys.map(({ id, name, secretHash, scopes, expiresAt, rateLimit }) => [
      id,
      index + 1,
      name,
      secretHash,
      scopes.join(','),
      expiresAt,
      rateLimit,
    ]),
  );
  if (rows.length === 0) return [];
  const { table, runs } = dialect.incoming(KEY_COLUMNS, rows);
  const insert = sql`INSERT INTO api_key (id, account_id, name, secret_hash, scopes, created_at, expires_at, rate_limit)
    SELECT incoming.id, ${base(accounts.length)} + incoming.account_number, incoming.name, incoming.secret_hash, incoming.scopes,
      ${bind('timestamp', now)}, incoming.expires_at, incoming.rate_limit
    FROM ${table}`;
  return compileEach(insert, runs, dialect);
}

/** As if each account, limit and key had been added by a command of its own. */
function entries(
  accounts: readonly NewAccount[],
  audit: Pick<SqlAuditTrail, 'statement'>,
  dialect: Dialect,
): readonly Statement[] {
  const added = sql`account WHERE ${isNew(accounts.length)}`;
  const expiry = dialect.print('api_key.expires_at', 'timestamp');
  return [
    audit.statement({
      action: 'account added',
      account: sql`account.name`,
      details: {},
      from: sql`${added} ORDER BY account.id`,
    }),
    ...LIMITS.map(({ column, title }) =>
      audit.statement({
        action: 'account limit changed',
        account: sql`account.name`,
        details: { limit: title, from: null, to: numberOrNull(sql`account.${trusted(column)}`) },
        from: sql`${added} AND account.${trusted(column)} IS NOT NULL ORDER BY account.id`,
      }),
    ),
    audit.statement({
      action: 'key issued',
      account: sql`account.name`,
      details: {
        key: dialect.jsonString('api_key.id'),
        name: dialect.jsonString('api_key.name'),
        scopes: sql`'["' || replace(api_key.scopes, ',', '","') || '"]'`,
        expiresAt: sql`coalesce('"' || ${expiry} || '"', 'null')`,
        limit: numberOrNull(sql`api_key.rate_limit`),
      },
      from: sql`api_key JOIN account ON account.id = api_key.account_id WHERE ${isNew(accounts.length)} ORDER BY account.id, api_key.id`,
    }),
  ];
}
