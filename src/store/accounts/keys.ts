/** API keys in SQL. */

import { SCOPES, type Scope } from '../../catalog/scopes.ts';
import type { Engine } from '../engine/engine.ts';
import { forEach } from '../engine/for-each.ts';
import type { Revocation } from '../engine/revocations.ts';
import { withPatience } from '../engine/with-patience.ts';
import type { SqlFields } from '../fields/fields.ts';
import { accountName, numberOrNull } from '../sql/audit-statements.ts';
import { FIELDS_VERSION } from '../sql/ledger.ts';
import { integerOf, integerOrNullOf, type Row, textOf, textOrNullOf } from '../sql/row.ts';
import { type Bound, bind, join, type Sql, sql, trusted } from '../sql/sql.ts';
import { compile, type Statement } from '../sql/statement.ts';
import {
  type AccountId,
  type Actor,
  type FoundKey,
  type Keys,
  MAX_SESSIONS,
  MAX_SIGN_INS,
  type NewKey,
  type SessionKey,
  type StoredKey,
} from '../store.ts';
import { StoreUnavailable } from '../store-error.ts';
import { newAccessVersion } from './access-version.ts';
import { accountColumns, accountOf } from './accounts.ts';
import type { SqlAuditTrail } from './audit-trail.ts';

export class SqlKeys implements Keys {
  readonly #engine: Engine;
  readonly #audit: SqlAuditTrail;
  readonly #fields: SqlFields;

  constructor(engine: Engine, audit: SqlAuditTrail, fields: SqlFields) {
    this.#engine = engine;
    this.#audit = audit;
    this.#fields = fields;
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
        sql`SELECT ${this.#columns()}, access, ${FIELDS_VERSION} AS fields_version, ${accountColumns(dialect)}
          FROM ${WITH_ORIGIN} JOIN account ON account.id = api_key.account_id WHERE api_key.id = ${bind('text', id)}`,
        dialect,
      ),
    );
    if (row === undefined) return undefined;
    const catalog = await this.#fields.at(integerOf(row, 'fields_version'));
    // The fields have changed since, and so has the access version.
    if (catalog === undefined) return this.find(id);
    return { key: this.#keyOf(row), account: accountOf(row), access: integerOf(row, 'access'), catalog };
  }

  async list(account?: AccountId): Promise<readonly StoredKey[]> {
    const owned = account === undefined ? sql`` : sql` WHERE account_id = ${bind('integer', account)}`;
    const rows = await this.#engine.reserved(
      compile(
        sql`SELECT ${this.#columns()} FROM ${WITH_ORIGIN}${owned} ORDER BY account_id, created_at, id`,
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
      await withPatience(this.#engine.clock, () => this.#revoke(revocation));
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
    await this.#engine.write(this.#revocation(id, at, entry));
  }

  #revocation(id: string, at: string, entry: Statement): readonly Statement[] {
    const { dialect } = this.#engine;
    const key = bind('text', id);
    return [
      compile(
        sql`UPDATE api_key SET revoked_at = ${bind('timestamp', at)} WHERE id = ${key} AND revoked_at IS NULL RETURNING id`,
        dialect,
        'some',
      ),
      compile(changeAccess(sql`(SELECT account_id FROM api_key WHERE id = ${key})`), dialect),
      entry,
    ];
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

  /** Those that have ended make room. The access of others changes only if one is removed that has not: people sign in all the time. */
  async startSession(session: SessionKey, actor: Actor): Promise<boolean> {
    this.#engine.requireRoom();
    const { id, account, sessionOf, scopes, createdAt, expiresAt } = session;
    const { dialect } = this.#engine;
    const origin = bind('text', sessionOf);
    const [now, minuteAgo] = [bind('timestamp', createdAt), bind('timestamp', minuteBefore(createdAt))];
    const isLive = sql`session_of = ${origin} AND revoked_at IS NULL AND expires_at > ${now}`;
    const max = trusted(String(MAX_SESSIONS));
    // Those who sign in with one key take turns, so that each counts the sessions of all others.
    const turn = sql`UPDATE api_key SET name = name WHERE id = ${origin}`;
    const tooMany = sql`SELECT count(*) AS recent FROM api_key WHERE session_of = ${origin} AND created_at > ${minuteAgo}
      HAVING count(*) >= ${trusted(String(MAX_SIGN_INS))}`;
    const ended = sql`DELETE FROM api_key WHERE session_of = ${origin} AND created_at <= ${minuteAgo}
      AND (revoked_at IS NOT NULL OR expires_at <= ${now})`;
    const access = sql`${changeAccess(bind('integer', account))} AND (SELECT count(*) FROM api_key WHERE ${isLive}) > ${max}`;
    const excess = sql`DELETE FROM api_key WHERE id IN (
      SELECT id FROM api_key WHERE ${isLive} ORDER BY created_at DESC, id LIMIT ${ALL} OFFSET ${max}
    )`;
    const entry = this.#audit.statement(
      { action: 'signed in', account: ownerOf(session), details: { key: sessionOf, session: id, scopes, expiresAt } },
      actor,
    );
    const statements = [
      compile(turn, dialect),
      compile(tooMany, dialect, 'none'),
      ...[ended, insertKey(session), access, excess].map((statement) => compile(statement, dialect)),
      entry,
    ];
    const { isCommitted } = await withPatience(this.#engine.clock, () => this.#engine.write(statements));
    return isCommitted;
  }

  async endSession(id: string, at: string, actor: Actor): Promise<void> {
    const entry = this.#audit.statement(
      {
        action: 'signed out',
        account: sql`account.name`,
        details: { session: id },
        from: sql`api_key JOIN account ON account.id = api_key.account_id WHERE api_key.id = ${bind('text', id)}`,
      },
      actor,
    );
    const statements = this.#revocation(id, at, entry);
    await withPatience(this.#engine.clock, () => this.#engine.write(statements));
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
    const { isCommitted } = await withPatience(this.#engine.clock, () => this.#engine.write(statements));
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
    const { pending } = this.#engine.revocations;
    const revocation = pending.get(key.id) ?? (key.sessionOf === null ? undefined : pending.get(key.sessionOf));
    return { ...key, revokedAt: key.revokedAt ?? revocation?.at ?? null };
  }

  #columns(): Sql {
    const timestamp = (column: string) => this.#engine.dialect.print(column, 'timestamp');
    return sql`api_key.id AS key_id, account_id, api_key.name AS key_name, secret_hash, scopes,
      ${timestamp('api_key.created_at')} AS key_created_at, ${timestamp('expires_at')} AS expires_at,
      ${timestamp('last_used_at')} AS last_used_at, ${timestamp('revoked_at')} AS revoked_at, replaced_by,
      api_key.rate_limit AS key_rate_limit, session_of, origin_scopes, origin_rate_limit,
      ${timestamp('origin_expires_at')} AS origin_expires_at, ${timestamp('origin_revoked_at')} AS origin_revoked_at`;
  }
}

/** With the keys that browser sessions come from. */
const WITH_ORIGIN = sql`api_key LEFT JOIN (
    SELECT id AS origin_id, scopes AS origin_scopes, rate_limit AS origin_rate_limit, expires_at AS origin_expires_at,
      revoked_at AS origin_revoked_at FROM api_key
  ) AS origin ON origin_id = session_of`;

/** SQLite has no offset without a limit. */
const ALL = trusted(String(2 ** 53));

function keyOf(row: Row): StoredKey {
  const key = ownKeyOf(row);
  if (key.sessionOf === null) return { ...key, keyExpiresAt: key.expiresAt };
  // A code ends when it is exchanged, and its session begins.
  if (scopesOf(textOf(row, 'origin_scopes')).includes('sign-in')) return { ...key, keyExpiresAt: null };
  const keyExpiresAt = textOrNullOf(row, 'origin_expires_at');
  return {
    ...key,
    expiresAt: [key.expiresAt, keyExpiresAt].filter((time) => time !== null).toSorted()[0] ?? null,
    revokedAt: key.revokedAt ?? textOrNullOf(row, 'origin_revoked_at'),
    rateLimit: integerOrNullOf(row, 'origin_rate_limit'),
    keyExpiresAt,
  };
}

function ownKeyOf(row: Row): Omit<StoredKey, 'keyExpiresAt'> {
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
    sessionOf: textOrNullOf(row, 'session_of'),
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
    bind('text', key.sessionOf ?? null),
  ];
  return sql`INSERT INTO api_key (id, account_id, name, secret_hash, scopes, created_at, expires_at, rate_limit, session_of)
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

const ALL_SCOPES: readonly Scope[] = ['sign-in', ...SCOPES];

/** Words that a newer version has stored are left out: what they permit is unknown. */
function scopesOf(text: string): readonly Scope[] {
  const words = text.split(',');
  return ALL_SCOPES.filter((scope) => words.includes(scope));
}

function minuteBefore(time: string): string {
  return new Date(Date.parse(time) - 60_000).toISOString();
}
