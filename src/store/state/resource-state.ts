/**
 * What is known about one resource of one account at one version of its ledger: responses, totals and page anchors. Nothing
 * here can be stale, because a new version gets a new state and the old one is dropped as a unit.
 */

import { CompressedText } from '../../compressed-text.ts';
import { byteLength, encoded, type Pieces } from '../../pieces.ts';
import type { AccountId } from '../account-id.ts';
import type { LedgerVersion } from '../version.ts';
import { Anchors } from './anchors.ts';
import { type CacheBudget, CacheGroup, type Charge } from './cache.ts';
import type { Doorkeeper } from './doorkeeper.ts';

export interface CachedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Pieces;
  readonly compressed?: CompressedText;
}

export class ResourceState {
  readonly version: LedgerVersion;
  readonly #account: AccountId;
  readonly #resource: string;
  readonly #doorkeeper: Doorkeeper;
  readonly #responses: CacheGroup<CachedResponse>;
  readonly #totals: CacheGroup<number>;
  readonly #anchors: CacheGroup<Anchors>;
  readonly #computed: CacheGroup<string | Pieces>;

  constructor(
    account: AccountId,
    resource: string,
    version: LedgerVersion,
    budget: CacheBudget,
    doorkeeper: Doorkeeper,
  ) {
    this.#account = account;
    this.#resource = resource;
    this.version = version;
    this.#doorkeeper = doorkeeper;
    this.#responses = new CacheGroup(budget);
    this.#totals = new CacheGroup(budget);
    this.#anchors = new CacheGroup(budget);
    this.#computed = new CacheGroup(budget);
  }

  /** `request` identifies what was requested of the resource. */
  response(request: string): CachedResponse | undefined {
    return this.#responses.get(request);
  }

  /** Kept if the same was requested before, at this version or another. */
  keepResponse(request: string, response: CachedResponse): void {
    if (!this.#doorkeeper.admits(`${this.#account} ${this.#resource} ${request}`)) return;
    const body = encoded(response.body);
    const bytes = byteLength(body);
    const keep = (kept: CachedResponse, compressed: number) =>
      this.#responses.set(request, kept, this.#charge(bytes + compressed));
    const kept: CachedResponse = {
      ...response,
      body,
      compressed: new CompressedText(body, (compressed) => {
        if (this.#responses.get(request) === kept) keep(kept, compressed);
      }),
    };
    keep(kept, 0);
  }

  total(filter: string): number | undefined {
    return this.#totals.get(filter);
  }

  keepTotal(filter: string, total: number): void {
    this.#totals.set(filter, total, this.#charge(0));
  }

  anchors(list: string): Anchors {
    return this.#anchors.get(list) ?? new Anchors();
  }

  keepAnchors(list: string, anchors: Anchors): void {
    this.#anchors.set(list, anchors, this.#charge(anchors.bytes));
  }

  /** The body of a response that takes long to compute, so unlike others it is always kept. */
  computed(request: string): string | Pieces | undefined {
    return this.#computed.get(request);
  }

  keepComputed(request: string, body: string | Pieces): void {
    this.#computed.set(request, body, this.#charge(byteLength(body)));
  }

  drop(): void {
    for (const group of [this.#responses, this.#totals, this.#anchors, this.#computed]) group.close();
  }

  #charge(bytes: number): Charge {
    return { account: this.#account, bytes };
  }
}
