/**
 * Idempotency keys: which of them are in progress in this process, and what the others have created. Nodes do not know what
 * is in progress on another one. If two of them use a key at the same time, the database rejects one of the creates.
 */

import type { Resource } from '../../catalog/resource.ts';
import type { Idempotency } from '../../plan/plan.ts';
import type { Engine } from '../engine/engine.ts';
import { findKeyStatement, removeExpiredKeyStatement } from '../sql/idempotency-statements.ts';
import { integerOf, textOf, textOrNullOf } from '../sql/row.ts';
import type { AccountId, Caller, KeyReused, NoAccess } from '../store.ts';

/** What the request that used a key did. */
export interface UsedKey {
  readonly kind: 'used';
  /** The record that it created; 0 if it created none. */
  readonly id: number;
  /** Its result, as JSON, if it was an import. */
  readonly result: string | null;
}

export class IdempotencyKeys {
  readonly #engine: Engine;
  /** How many calls hold a key. */
  readonly #held = new Map<string, number>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  isHeld(account: AccountId, resource: Resource, { key }: Idempotency): boolean {
    return this.#held.has(nameOf(account, resource, key));
  }

  /** Holds keys until the result is there. A key can be held several times. */
  async hold<Result>(
    account: AccountId,
    resource: Resource,
    keys: readonly Idempotency[],
    body: () => Promise<Result>,
  ): Promise<Result> {
    const names = keys.map(({ key }) => nameOf(account, resource, key));
    for (const name of names) this.#held.set(name, (this.#held.get(name) ?? 0) + 1);
    try {
      return await body();
    } finally {
      for (const name of names) {
        const others = (this.#held.get(name) ?? 0) - 1;
        if (others > 0) this.#held.set(name, others);
        else this.#held.delete(name);
      }
    }
  }

  async isUsed(caller: Caller, resource: Resource, key: string): Promise<boolean> {
    const statement = findKeyStatement(caller, resource, key, this.#engine.dialect);
    const [used] = await this.#engine.reserved(statement, caller.account);
    return used !== undefined && used['record_id'] !== null && integerOf(used, 'is_expired') === 0;
  }

  /** What an earlier request with the key leads to. Undefined if there was none. */
  async replay(
    caller: Caller,
    resource: Resource,
    { key, fingerprint }: Idempotency,
  ): Promise<UsedKey | KeyReused | NoAccess | undefined> {
    const { dialect } = this.#engine;
    const [used] = await this.#engine.reserved(findKeyStatement(caller, resource, key, dialect), caller.account);
    if (used === undefined) return 'no access';
    if (used['record_id'] === null) return undefined;
    if (integerOf(used, 'is_expired') === 1) {
      const remove = removeExpiredKeyStatement(caller.account, resource, key, dialect);
      await this.#engine.write([remove], caller.account);
      return undefined;
    }
    const identity = textOf(used, 'fingerprint');
    if (identity !== fingerprint && identity !== fingerprint.split(' ')[0]) return { kind: 'key reused', identity };
    return { kind: 'used', id: integerOf(used, 'record_id'), result: textOrNullOf(used, 'result') };
  }
}

function nameOf(account: AccountId, resource: Resource, key: string): string {
  return `${account} ${resource.name} ${key}`;
}
