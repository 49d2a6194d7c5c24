/** API keys in SQL. */

import { SCOPES, type Scope } from '../../catalog/scopes.ts';
import type { Engine } from '../engine/engine.ts';
import { forEach } from '../engine/for-each.ts';
import type { Revocation } from '../engine/revocations.ts';
import { withPatience } from '../engine/with-patience.ts';
import { accountName, numberOrNull } from '../sql/audit-statements.ts';
import { integerOf, integerOrNullOf, type Row, textOf, textOrNullOf } from '../sql/row.ts';
import { type Bound, bind, join, type Sql, sql } from '../sql/sql.ts';
import { compile, type Statement } from '../sql/statement.ts';
import type { AccountId, Actor, FoundKey, Keys, NewKey, StoredKey } from '../store.ts';
import { StoreUnavailable } from '../store-error.ts';
import { newAccessVersion } from './access-version.ts';
import { accountColumns, accountOf } from './accounts.ts';
import type { SqlAuditTrail } from './audit-trail.ts';

export class SqlKeys implements Keys {
  readonly #engine: Engine;
  readonly #audit: SqlAuditTrail;

  constructor(engine: Engine, audit: SqlAuditTrail) {
    this.#engine = engine;
    this.#audit = audit;
  }

  async add(key: NewKey): Promise<void> {
    const { id, name, scopes, expiresAt, rateLimit } = key;
    await this.#engine.write([
      ...this.#insert(key),
      this.#audit.statement({
        action: 'key issued',
        account: ownerOf(key),
        details: { key: id, name, scopes, expiresAt, limit: rateLimit },
      }),
    ]);
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
    return row && { key: this.#keyOf(row), account: accountOf(row), access: integerOf(row, 'access') };
  }

  async list(account?: AccountId): Promise<readonly StoredKey[]> {
    const owned = account === undefined ? sql`` : sql` WHERE account_id = ${bind('integer', account)}`;
    const rows = await this.#engine.reserved(
      compile(
        sql`SELECT ${this.#columns()} FROM api_key${owned} ORDER BY account_id, created_at, id`,
        this.#engine.dialect,
      ),
    );
    return rows.map((row) => this.#keyOf(row));
  }

  isRevoked(id: string): boolean {
    return this.#engine.revocations.pending.has(id);
  }

  async revoke(id: string, at: string): Promise<'in the database' | 'in effect'> {
    const revocation = { key: id, at, actor: this.#audit.actor };
    const { revocations } = this.#engine;
    if (!revocations.add(revocation)) {
      await withPatience(() => this.#revoke(revocation));
      return 'in the database';
    }
    try {
      await this.#settle(revocation);
      return 'in the database';
    } catch (error) {
      if (error instanceof StoreUnavailable) return 'in effect';
      throw error;
    }
  }

  async settleRevocations(): Promise<void> {
    await forEach(this.#engine.revocations.pending.values(), (revocation) => this.#settle(revocation));
  }

  async #settle(revocation: Revocation): Promise<void> {
    await this.#revoke(revocation);
    this.#engine.revocations.remove(revocation.key);
  }

  /** Does nothing if the key is revoked already. */
  async #revoke({ key: id, at, actor }: Revocation): Promise<void> {
    const { dialect } = this.#engine;
    const key = bind('text', id);
    const entry = this.#audit.statement(
      {
        action: 'key revoked',
        account: sql`account.name`,
        details: { key: id, name: dialect.jsonString('api_key.name') },
        from: sql`api_key JOIN account ON account.id = api_key.account_id WHERE api_key.id = ${key}`,
      },
      actor,
    );
    await this.#engine.write([
      compile(
        sql`UPDATE api_key SET revoked_at = ${bind('timestamp', at)} WHERE id = ${key} AND revoked_at IS NULL RETURNING id`,
        dialect,
        'some',
      ),
      compile(changeAccess(sql`(SELECT account_id FROM api_key WHERE id = ${key})`), dialect),
      entry,
    ]);
  }

  replace(id: string, by: NewKey, overlapEnds: string | null): Promise<boolean> {
    // The old key may expire before that. The entry is written after the key has got its end.
    const expiry = this.#engine.dialect.print('api_key.expires_at', 'timestamp');
    const end = sql`(SELECT '"' || ${expiry} || '"' FROM api_key WHERE api_key.id = ${bind('text', id)})`;
    const entry = this.#audit.statement({
      action: 'key rotated',
      account: ownerOf(by),
      details: { key: id, replacedBy: by.id, scopes: by.scopes, overlapEnds: overlapEnds === null ? null : end },
    });
    return this.#replace(id, by, overlapEnds, entry);
  }

  exchange(code: string, key: NewKey, actor: Actor): Promise<boolean> {
    const { id, scopes, expiresAt } = key;
    const entry = this.#audit.statement(
      { action: 'sign-in link used', account: ownerOf(key), details: { code, key: id, scopes, expiresAt } },
      actor,
    );
    return this.#replace(code, key, null, entry);
  }

  async #replace(id: string, by: NewKey, overlapEnds: string | null, entry: Statement): Promise<boolean> {
    const end = bind('timestamp', overlapEnds ?? by.createdAt);
    const ended =
      overlapEnds === null
        ? sql`revoked_at = ${end}`
        : sql`expires_at = CASE WHEN expires_at < ${end} THEN expires_at ELSE ${end} END`;
    const old = sql`UPDATE api_key SET replaced_by = ${bind('text', by.id)}, ${ended}
      WHERE id = ${bind('text', id)} AND revoked_at IS NULL AND replaced_by IS NULL RETURNING id`;
    const statements = [compile(old, this.#engine.dialect, 'some'), ...this.#insert(by), entry];
    const { isCommitted } = await withPatience(() => this.#engine.write(statements));
    return isCommitted;
  }

  async setRateLimit(id: string, rateLimit: number | null): Promise<void> {
    const { dialect } = this.#engine;
    const [key, limit] = [bind('text', id), bind('integer', rateLimit)];
    const entry = this.#audit.statement({
      action: 'key limit changed',
      account: sql`account.name`,
      details: { key: id, from: numberOrNull(sql`api_key.rate_limit`), to: rateLimit },
      from: sql`api_key JOIN account ON account.id = api_key.account_id WHERE api_key.id = ${key}`,
    });
    const update = sql`UPDATE api_key SET rate_limit = ${limit}
      WHERE id = ${key} AND rate_limit IS DISTINCT FROM ${limit} RETURNING id`;
    const owner = sql`(SELECT account_id FROM api_key WHERE id = ${key})`;
    await this.#engine.write([entry, compile(update, dialect, 'some'), compile(changeAccess(owner), dialect)]);
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

  #insert(key: NewKey): readonly Statement[] {
    const { dialect } = this.#engine;
    return [compile(insertKey(key), dialect), compile(changeAccess(bind('integer', key.account)), dialect)];
  }

  /** With the time at which it was revoked, even if that is not in the database yet. */
  #keyOf(row: Row): StoredKey {
    const key = keyOf(row);
    return { ...key, revokedAt: key.revokedAt ?? this.#engine.revocations.pending.get(key.id)?.at ?? null };
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

/** The name of the account that the key belongs to. */
function ownerOf({ account }: NewKey): Sql {
  return accountName(sql`${bind('integer', account)}`);
}

/** Outdates all sessions of an account. */
function changeAccess(account: Sql | Bound): Sql {
  return sql`UPDATE account SET access = ${bind('integer', newAccessVersion())} WHERE id = ${account}`;
}

const ALL_SCOPES: readonly Scope[] = [...SCOPES, 'sign-in'];

/** Words that a newer version has stored are left out: what they permit is unknown. */
function scopesOf(text: string): readonly Scope[] {
  const words = text.split(',');
  return ALL_SCOPES.filter((scope) => words.includes(scope));
}
