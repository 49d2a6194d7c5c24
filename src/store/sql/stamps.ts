/**
 * What changed: the revisions of an account, looked at anew for every request. Requests that arrive together share one look,
 * and where the engine can tell that nothing at all was written, what was seen before still holds.
 */

import type { AccountId, LedgerEntry, Stamp } from '../store.ts';
import type { Dialect } from './dialect.ts';
import type { Engine } from './engine.ts';
import { integerOf, textOf } from './row.ts';
import { bind, bindList, type Sql, sql, trusted } from './sql.ts';
import { compile, type Statement } from './statement.ts';

/** How many accounts are remembered, about. Where there are more, all are forgotten, and come again as they are asked for. */
const MAX_SEEN = 10_000;

/** There is none for an account that is not there. */
type StampOf = ReadonlyMap<AccountId, Stamp | undefined>;

export class Stamps {
  readonly #engine: Engine;
  /** The look that is taken next, and for whom. */
  #next: { readonly accounts: Set<AccountId>; readonly look: Promise<StampOf> } | undefined;
  /** What was seen, and in which state of the database. */
  #state: number | undefined;
  #seen = new Map<AccountId, Stamp | undefined>();

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /** Whoever asks before the look is taken may share it; whoever asks later has to look again. */
  async get(account: AccountId): Promise<Stamp | undefined> {
    this.#next ??= this.#gathered(new Set());
    const { accounts, look } = this.#next;
    accounts.add(account);
    return (await look).get(account);
  }

  #gathered(accounts: Set<AccountId>) {
    const look = new Promise<StampOf>((resolve) => {
      setImmediate(() => {
        this.#next = undefined;
        resolve(this.#look(accounts));
      });
    });
    return { accounts, look };
  }

  async #look(accounts: ReadonlySet<AccountId>): Promise<StampOf> {
    const state = this.#engine.state();
    if (state === undefined) return this.#read([...accounts]);
    if (state !== this.#state || this.#seen.size > MAX_SEEN) this.#seen = new Map();
    this.#state = state;
    const seen = this.#seen;
    const unseen = [...accounts].filter((account) => !seen.has(account));
    if (unseen.length > 0) {
      const stamps = await this.#read(unseen);
      for (const account of unseen) seen.set(account, stamps.get(account));
    }
    return seen;
  }

  async #read(accounts: readonly AccountId[]): Promise<StampOf> {
    const { epoch, dialect } = this.#engine;
    const rows = await this.#engine.read(stampsStatement(accounts, dialect), 'look');
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
