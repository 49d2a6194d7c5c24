/** API keys in SQL. */

import { accountColumns, accountOf, newAccessVersion } from './accounts.ts';
import type { Engine } from './engine/engine.ts';
import { integerOf, integerOrNullOf, type Row, textOf, textOrNullOf } from './sql/row.ts';
import { type Bound, bind, join, type Sql, sql } from './sql/sql.ts';
import { compile } from './sql/statement.ts';
import {
  type AccountId,
  type FoundKey,
  type Keys,
  type NewKey,
  REVOCATION_LOCK_TIMEOUT,
  SCOPES,
  type Scope,
  type StoredKey,
} from './store.ts';
import { isLockTimeout } from './store-error.ts';

export class SqlKeys implements Keys {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async add(key: NewKey): Promise<void> {
    await this.#write(insertKey(key), changeAccess(bind('integer', key.account)));
  }

  async find(id: string): Promise<FoundKey | undefined> {
    const { dialect } = this.#engine;
    const [row] = await this.#engine.reserved(
      compile(
        sql`SELECT ${this.#columns()}, access, ${accountColumns(dialect)}
          FROM api_key JOIN account ON account.id = api_key.account_id WHERE api_key.id = ${bind('text', id)}`,
        dialect,
      ),
    );
    return row && { key: keyOf(row), account: accountOf(row), access: integerOf(row, 'access') };
  }

  async list(account: AccountId): Promise<readonly StoredKey[]> {
    const rows = await this.#engine.reserved(
      compile(
        sql`SELECT ${this.#columns()} FROM api_key WHERE account_id = ${bind('integer', account)} ORDER BY created_at, id`,
        this.#engine.dialect,
      ),
    );
    return rows.map(keyOf);
  }

  async revoke(id: string, at: string): Promise<void> {
    const key = bind('text', id);
    await withPatience(() =>
      this.#write(
        sql`UPDATE api_key SET revoked_at = ${bind('timestamp', at)} WHERE id = ${key} AND revoked_at IS NULL`,
        changeAccess(sql`(SELECT account_id FROM api_key WHERE id = ${key})`),
      ),
    );
  }

  async replace(id: string, by: NewKey, overlapEnds: string | null): Promise<boolean> {
    const end = bind('timestamp', overlapEnds ?? by.createdAt);
    const ended =
      overlapEnds === null
        ? sql`revoked_at = ${end}`
        : sql`expires_at = CASE WHEN expires_at < ${end} THEN expires_at ELSE ${end} END`;
    const old = sql`UPDATE api_key SET replaced_by = ${bind('text', by.id)}, ${ended}
      WHERE id = ${bind('text', id)} AND revoked_at IS NULL AND replaced_by IS NULL RETURNING id`;
    const { dialect } = this.#engine;
    const statements = [
      compile(old, dialect, 'some'),
      ...[insertKey(by), changeAccess(bind('integer', by.account))].map((statement) => compile(statement, dialect)),
    ];
    const { isCommitted } = await withPatience(() => this.#engine.write(statements));
    return isCommitted;
  }

  async setRateLimit(id: string, rateLimit: number | null): Promise<void> {
    const key = bind('text', id);
    await this.#write(
      sql`UPDATE api_key SET rate_limit = ${bind('integer', rateLimit)} WHERE id = ${key}`,
      changeAccess(sql`(SELECT account_id FROM api_key WHERE id = ${key})`),
    );
  }

  async recordUse(lastUsed: ReadonlyMap<string, string>): Promise<void> {
    await this.#write(
      ...[...lastUsed].map(([id, at]) => {
        const time = bind('timestamp', at);
        return sql`UPDATE api_key SET last_used_at = ${time}
          WHERE id = ${bind('text', id)} AND (last_used_at IS NULL OR last_used_at < ${time})`;
      }),
    );
  }

  async #write(...statements: readonly Sql[]): Promise<void> {
    await this.#engine.write(statements.map((statement) => compile(statement, this.#engine.dialect)));
  }

  #columns(): Sql {
    const timestamp = (column: string) => this.#engine.dialect.print(column, 'timestamp');
    return sql`api_key.id AS key_id, account_id, api_key.name AS key_name, secret_hash, scopes,
      ${timestamp('api_key.created_at')} AS key_created_at, ${timestamp('expires_at')} AS expires_at,
      ${timestamp('last_used_at')} AS last_used_at, ${timestamp('revoked_at')} AS revoked_at, replaced_by,
      api_key.rate_limit AS key_rate_limit`;
  }
}

function keyOf(row: Row): StoredKey {
  return {
    id: textOf(row, 'key_id'),
    account: integerOf(row, 'account_id'),
    name: textOf(row, 'key_name'),
    secretHash: textOf(row, 'secret_hash'),
    scopes: scopesOf(textOf(row, 'scopes')),
    createdAt: textOf(row, 'key_created_at'),
    expiresAt: textOrNullOf(row, 'expires_at'),
    rateLimit: integerOrNullOf(row, 'key_rate_limit'),
    lastUsedAt: textOrNullOf(row, 'last_used_at'),
    revokedAt: textOrNullOf(row, 'revoked_at'),
    replacedBy: textOrNullOf(row, 'replaced_by'),
  };
}

function insertKey(key: NewKey): Sql {
  const values = [
    bind('text', key.id),
    bind('integer', key.account),
    bind('text', key.name),
    bind('text', key.secretHash),
    bind('text', key.scopes.join(',')),
    bind('timestamp', key.createdAt),
    bind('timestamp', key.expiresAt),
    bind('integer', key.rateLimit),
  ];
  return sql`INSERT INTO api_key (id, account_id, name, secret_hash, scopes, created_at, expires_at, rate_limit)
    VALUES (${join(values, ', ')})`;
}

/** Outdates all sessions of an account. */
function changeAccess(account: Sql | Bound): Sql {
  return sql`UPDATE account SET access = ${newAccessVersion()} WHERE id = ${account}`;
}

/** Repeats a write that timed out waiting for a lock. Between two attempts, no other write has to wait for it. */
async function withPatience<Result>(write: () => Promise<Result>): Promise<Result> {
  const started = performance.now();
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isLockTimeout(error) || performance.now() - started >= REVOCATION_LOCK_TIMEOUT) throw error;
    }
  }
}

const ALL_SCOPES: readonly Scope[] = [...SCOPES, 'sign-in'];

function scopesOf(text: string): readonly Scope[] {
  const words = text.split(',');
  return ALL_SCOPES.filter((scope) => words.includes(scope));
}
