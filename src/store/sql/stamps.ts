/**
 * What changed: the revisions of an account, read anew for every request. Requests that arrive together share one look,
 * and where the engine can tell that nothing at all was written, the last look holds.
 */

import type { AccountId, LedgerEntry, Stamp } from '../store.ts';
import type { Dialect } from './dialect.ts';
import type { Engine } from './engine.ts';
import { integerOf, textOf } from './row.ts';
import { bind, bindList, type Sql, sql, trusted } from './sql.ts';
import { compile, type Statement } from './statement.ts';

/** There is none for an account that is not there. */
type StampOf = ReadonlyMap<AccountId, Stamp>;

export class Stamps {
  readonly #engine: Engine;
  /** Looks that still hold, and the state of the database in which they were taken. */
  readonly #held = new Map<AccountId, Promise<Stamp | undefined>>();
  #state: number | undefined;
  /** The look that is sent next, and for whom. */
  #next: { readonly accounts: Set<AccountId>; readonly look: Promise<StampOf> } | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get(account: AccountId): Promise<Stamp | undefined> {
    const state = this.#engine.state();
    return state === undefined ? this.#shared(account) : this.#heldSince(state, account);
  }

  #heldSince(state: number, account: AccountId): Promise<Stamp | undefined> {
    if (state !== this.#state) this.#held.clear();
    this.#state = state;
    const look = this.#held.get(account) ?? this.#lookFor(account);
    this.#held.set(account, look);
    return look;
  }

  async #lookFor(account: AccountId): Promise<Stamp | undefined> {
    try {
      return (await this.#read([account])).get(account);
    } catch (error) {
      this.#held.delete(account);
      throw error;
    }
  }

  /** Whoever asks before the look is sent may share it; whoever asks later has to look again. */
  async #shared(account: AccountId): Promise<Stamp | undefined> {
    this.#next ??= this.#gathered(new Set());
    const { accounts, look } = this.#next;
    accounts.add(account);
    return (await look).get(account);
  }

  #gathered(accounts: Set<AccountId>) {
    const sent = new Promise((resolve) => setImmediate(resolve));
    const look = sent.then(() => {
      this.#next = undefined;
      return this.#read([...accounts]);
    });
    return { accounts, look };
  }

  async #read(accounts: readonly AccountId[]): Promise<StampOf> {
    const { epoch, dialect } = this.#engine;
    const rows = await this.#engine.read(stampsStatement(accounts, dialect));
    // Another server has taken over meanwhile, and it is not clear which of them answered.
    if (this.#engine.epoch !== epoch) return this.#read(accounts);
    const stamps = new Map<AccountId, Stamp & { readonly ledger: Map<string, LedgerEntry> }>();
    for (const row of rows) {
      const account = integerOf(row, 'id');
      const stamp = stamps.get(account) ?? { access: integerOf(row, 'access'), epoch, ledger: new Map() };
      stamp.ledger.set(textOf(row, 'resource'), {
        revision: integerOf(row, 'revision'),
        rows: integerOf(row, 'rows'),
      });
      stamps.set(account, stamp);
    }
    return stamps;
  }
}

export function stampsStatement(accounts: readonly AccountId[], dialect: Dialect): Statement {
  const isWanted = among(accounts, dialect);
  return compile(
    sql`SELECT id, access, resource, revision, rows FROM account JOIN ledger ON ledger.account_id = account.id
      WHERE ${isWanted('account.id')} AND ${isWanted('ledger.account_id')}`,
    dialect,
  );
}

/** Most look for one account alone. */
function among(accounts: readonly AccountId[], dialect: Dialect): (column: string) => Sql {
  if (accounts.length === 1) {
    const only = bind('integer', accounts[0] ?? null);
    return (column) => sql`${trusted(column)} = ${only}`;
  }
  const list = bindList('integer', accounts);
  return (column) => dialect.among(trusted(column), list, false);
}
