/**
 * Reads the current versions of accounts. Every request verifies a version in the database, so nothing cached is ever stale.
 * Requests that arrive together share one statement, and none is needed if the engine can tell that nothing was written.
 */

import { NO_ACCOUNT } from '../account-id.ts';
import { Batcher, type Outcome } from '../engine/batcher.ts';
import type { Engine } from '../engine/engine.ts';
import { ledgerVersionOf, versionsStatement } from '../sql/ledger.ts';
import { integerOf, isUnreadable, textOrNullOf } from '../sql/row.ts';
import { type CacheBudget, CacheGroup } from '../state/cache.ts';
import type { AccountId } from '../store.ts';
import { DamagedLedger } from '../store-error.ts';
import type { AccountVersion, LedgerVersion } from '../version.ts';

/** The approximate size of an account's version in bytes. */
const VERSION_BYTES = 600;

type Version = AccountVersion | undefined;

export class VersionChecks {
  readonly #engine: Engine;
  /** One for each account, or one for all if they can share a statement. */
  readonly #batchers = new Map<AccountId, Batcher<AccountId, Version>>();
  /** Versions that hold while the engine's change counter stays the same. */
  readonly #known: CacheGroup<AccountVersion>;
  #counter: number | undefined;

  constructor(engine: Engine, budget: CacheBudget) {
    this.#engine = engine;
    this.#known = new CacheGroup(budget, 'versions');
  }

  current(account: AccountId): Promise<Version> {
    const key = this.#engine.spansAccounts ? NO_ACCOUNT : account;
    const batcher = this.#batchers.get(key) ?? this.#newBatcher(key);
    this.#batchers.set(key, batcher);
    return batcher.add(account);
  }

  #newBatcher(key: AccountId): Batcher<AccountId, Version> {
    return new Batcher({
      run: (accounts) => this.#check(accounts),
      // A check must not be older than the request it is for, so a request never joins one that is running.
      isIndependent: true,
      onIdle: () => this.#batchers.delete(key),
    });
  }

  async #check(accounts: readonly AccountId[]): Promise<readonly Outcome<Version>[]> {
    const counter = this.#engine.changeCounter();
    if (counter === undefined || counter !== this.#counter) this.#known.clear();
    this.#counter = counter;
    const versions = new Map(accounts.map((account) => [account, this.#known.get(String(account))]));
    const unknown = [...versions.keys()].filter((account) => versions.get(account) === undefined);
    const found = unknown.length > 0 ? await this.#tryRead(unknown) : new Map<AccountId, Outcome<Version>>();
    for (const [account, outcome] of found)
      if ('result' in outcome && outcome.result !== undefined && counter !== undefined && counter === this.#counter)
        this.#known.set(String(account), outcome.result, { account, bytes: VERSION_BYTES });
    return accounts.map((account) => found.get(account) ?? { result: versions.get(account) });
  }

  /** If the ledger of one account cannot be read, that of each is read by itself: the others are not affected. */
  async #tryRead(accounts: readonly AccountId[]): Promise<ReadonlyMap<AccountId, Outcome<Version>>> {
    const [first, ...others] = accounts;
    try {
      const versions = await this.#read(accounts);
      return new Map(accounts.map((account) => [account, { result: versions.get(account) }]));
    } catch (error) {
      if (!isUnreadable(error)) return new Map(accounts.map((account) => [account, { error }]));
      if (first !== undefined && others.length === 0)
        return new Map([[first, { error: new DamagedLedger(first, { cause: error }) }]]);
    }
    const parts = await Promise.all(accounts.map((account) => this.#tryRead([account])));
    return new Map(parts.flatMap((part) => [...part]));
  }

  async #read(accounts: readonly AccountId[]): Promise<ReadonlyMap<AccountId, AccountVersion>> {
    const [only] = accounts.length === 1 ? accounts : [];
    const rows = await this.#engine.reserved(versionsStatement(accounts, this.#engine.dialect), only);
    const versions = new Map<AccountId, AccountVersion & { readonly ledger: Map<string, LedgerVersion> }>();
    for (const row of rows) {
      const account = integerOf(row, 'id');
      const version = versions.get(account) ?? { access: integerOf(row, 'access'), ledger: new Map() };
      const resource = textOrNullOf(row, 'resource');
      if (resource !== null) version.ledger.set(resource, ledgerVersionOf(row));
      versions.set(account, version);
    }
    return versions;
  }
}
