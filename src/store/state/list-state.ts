/**
 * What is known about the lists of one resource of one account at one version of its ledger: totals and page anchors. Nothing
 * here can be stale, because a new version gets a new state and the old one is dropped as a unit.
 */

import type { AccountId } from '../account-id.ts';
import type { LedgerVersion } from '../version.ts';
import { ANCHORS_BYTES, type Anchor, Anchors } from './anchors.ts';
import { type CacheBudget, CacheGroup } from './cache.ts';

export class ListState {
  readonly version: LedgerVersion;
  readonly #account: AccountId;
  readonly #totals: CacheGroup<number>;
  readonly #anchors: CacheGroup<Anchors>;

  constructor(account: AccountId, version: LedgerVersion, budget: CacheBudget) {
    this.#account = account;
    this.version = version;
    this.#totals = new CacheGroup(budget, 'totals');
    this.#anchors = new CacheGroup(budget, 'anchors');
  }

  total(filter: string): number | undefined {
    return this.#totals.get(filter);
  }

  keepTotal(filter: string, total: number): void {
    this.#totals.set(filter, total, { account: this.#account, bytes: 0 });
  }

  /** The last known one at or before the offset. */
  anchor(list: string, offset: number): Anchor | undefined {
    return this.#anchors.get(list)?.before(offset);
  }

  keepAnchor(list: string, anchor: Anchor): void {
    const anchors = this.#anchors.peek(list) ?? new Anchors();
    anchors.add(anchor);
    this.#anchors.set(list, anchors, { account: this.#account, bytes: ANCHORS_BYTES });
  }

  drop(): void {
    this.#totals.close();
    this.#anchors.close();
  }
}
