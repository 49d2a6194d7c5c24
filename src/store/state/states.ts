/** The states of all resources of all accounts that are in use. */

import type { AccountId } from '../store.ts';
import { isSameVersion, type LedgerVersion } from '../version.ts';
import type { CacheBudget } from './cache.ts';
import { Doorkeeper } from './doorkeeper.ts';
import { ResourceState } from './resource-state.ts';

/** The most states, used or not; what they hold is bounded in bytes. */
const MAX_STATES = 20_000;

export class States {
  readonly #budget: CacheBudget;
  readonly #doorkeeper = new Doorkeeper();
  /** Least recently used first. */
  readonly #states = new Map<string, ResourceState>();

  constructor(budget: CacheBudget) {
    this.#budget = budget;
  }

  /** The state at this version. A state of another version is dropped. */
  at(account: AccountId, resource: string, version: LedgerVersion): ResourceState {
    const name = `${account} ${resource}`;
    const known = this.#states.get(name);
    this.#states.delete(name);
    const isCurrent = known !== undefined && isSameVersion(known.version, version);
    if (!isCurrent) known?.drop();
    const state = isCurrent ? known : new ResourceState(name, version, this.#budget, this.#doorkeeper);
    this.#states.set(name, state);
    if (this.#states.size > MAX_STATES) this.#dropOldest();
    return state;
  }

  /** A state that may be out of date: the caller has to verify its version. */
  latest(account: AccountId, resource: string): ResourceState | undefined {
    return this.#states.get(`${account} ${resource}`);
  }

  #dropOldest(): void {
    const [oldest] = this.#states;
    if (oldest === undefined) return;
    const [name, state] = oldest;
    this.#states.delete(name);
    state.drop();
  }
}
