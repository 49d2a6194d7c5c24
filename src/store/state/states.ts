/** What is remembered about the resources of accounts that are in use, each at one version of its ledger. */

import type { Resource } from '../../catalog/resource.ts';
import type { AccountId } from '../account-id.ts';
import { isEarlier, isSameVersion, type LedgerVersion } from '../version.ts';
import { type Linked, RecencyList } from './recency-list.ts';

/** The maximum number of states, used or not; what they hold is bounded in bytes. */
const MAX_STATES = 20_000;

/** After this many lookups of earlier versions in a row, a state is dropped: a failover may have lost its version. */
const MAX_EARLIER = 100;

export interface VersionedState {
  readonly version: LedgerVersion;
  /** From now on it keeps nothing. */
  drop(): void;
}

interface Known<State> extends Linked<Known<State>> {
  readonly name: string;
  readonly state: State;
  /** How many lookups of earlier versions there have been since it was last used. */
  earlier: number;
}

export class States<State extends VersionedState> {
  readonly #create: (account: AccountId, resource: Resource, version: LedgerVersion) => State;
  readonly #states = new Map<string, Known<State>>();
  readonly #recency = new RecencyList<Known<State>>();

  constructor(create: (account: AccountId, resource: Resource, version: LedgerVersion) => State) {
    this.#create = create;
  }

  /**
   * The state at this version. A state of another version is dropped, unless this one is earlier: a slow list may finish
   * after a write that it did not see, and gets a state that keeps nothing.
   */
  at(account: AccountId, resource: Resource, version: LedgerVersion): State {
    const name = nameOf(account, resource);
    const known = this.#states.get(name);
    if (known !== undefined && isSameVersion(known.state.version, version)) {
      known.earlier = 0;
      this.#recency.touch(known);
      return known.state;
    }
    const state = this.#create(account, resource, version);
    if (known !== undefined && isEarlier(version, known.state.version) && known.earlier < MAX_EARLIER) {
      known.earlier += 1;
      state.drop();
      return state;
    }
    this.#drop(known);
    const added = { name, state, earlier: 0, older: undefined, newer: undefined };
    this.#states.set(name, added);
    this.#recency.add(added);
    if (this.#states.size > MAX_STATES) this.#drop(this.#recency.oldest);
    return state;
  }

  /** A state that may be out of date: the caller has to verify its version. */
  latest(account: AccountId, resource: Resource): State | undefined {
    return this.#states.get(nameOf(account, resource))?.state;
  }

  #drop(known: Known<State> | undefined): void {
    if (known === undefined) return;
    this.#states.delete(known.name);
    this.#recency.remove(known);
    known.state.drop();
  }
}

function nameOf(account: AccountId, { name, version }: Resource): string {
  return `${account} ${name} ${version}`;
}
