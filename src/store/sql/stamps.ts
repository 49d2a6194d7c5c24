/**
 * What changed: the revisions of an account, read anew for every request. Requests for the same account that arrive
 * together share one look, and where the engine can tell that nothing at all was written, the last look holds.
 */

import type { AccountId, LedgerEntry, Stamp } from '../store.ts';
import type { Engine } from './engine.ts';
import { integerOf, type Row, textOf } from './row.ts';
import { bind, sql } from './sql.ts';
import { compile } from './statement.ts';

export class Stamps {
  readonly #engine: Engine;
  /** Looks that are not sent yet, or that still hold. */
  readonly #looks = new Map<AccountId, Promise<Stamp | undefined>>();
  /** The state of the database in which they were taken. */
  #state: number | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  get(account: AccountId): Promise<Stamp | undefined> {
    const state = this.#engine.state();
    if (state !== this.#state) this.#looks.clear();
    this.#state = state;
    const look = this.#looks.get(account) ?? this.#look(account);
    this.#looks.set(account, look);
    return look;
  }

  async #look(account: AccountId): Promise<Stamp | undefined> {
    if (this.#state === undefined) {
      // Whoever asks before this is sent may share it; whoever asks later has to look again.
      await new Promise((resolve) => setImmediate(resolve));
      this.#looks.delete(account);
    }
    try {
      return await this.#read(account);
    } catch (error) {
      this.#looks.delete(account);
      throw error;
    }
  }

  async #read(account: AccountId): Promise<Stamp | undefined> {
    const { epoch } = this.#engine;
    const own = bind('integer', account);
    const rows = await this.#engine.read(
      compile(
        sql`SELECT access, resource, revision, rows FROM account JOIN ledger ON ledger.account_id = account.id
          WHERE account.id = ${own} AND ledger.account_id = ${own}`,
        this.#engine.dialect,
      ),
    );
    // Another server has taken over meanwhile, and it is not clear which of them answered.
    if (this.#engine.epoch !== epoch) return this.#read(account);
    const [first] = rows;
    return first && { access: integerOf(first, 'access'), epoch, ledger: new Map(rows.map(ledgerEntry)) };
  }
}

function ledgerEntry(row: Row): [string, LedgerEntry] {
  return [textOf(row, 'resource'), { revision: integerOf(row, 'revision'), rows: integerOf(row, 'rows') }];
}
