/**
 * What is known about one resource of one account at one version of its ledger: responses, totals and page anchors. Nothing
 * here can be stale, because a new version gets a new state and the old one is dropped as a unit.
 */

import { type CompressedText, compressible } from '../../compressed-text.ts';
import { byteLength, encoded, type Pieces } from '../../pieces.ts';
import type { AccountId } from '../account-id.ts';
import type { LedgerVersion } from '../version.ts';
import { Anchors } from './anchors.ts';
import { type CacheBudget, CacheGroup, type Charge } from './cache.ts';
import type { Doorkeeper } from './doorkeeper.ts';

export interface CachedBody {
  readonly body: string | Pieces;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if compressing it is not worthwhile. */
  readonly compressed?: CompressedText | undefined;
}

export interface CachedResponse extends CachedBody {
  readonly status: number;
  readonly rows?: number | undefined;
}

export class ResourceState {
  readonly version: LedgerVersion;
  readonly #account: AccountId;
  readonly #resource: string;
  readonly #doorkeeper: Doorkeeper;
  readonly #responses: CacheGroup<CachedResponse>;
  readonly #totals: CacheGroup<number>;
  readonly #anchors: CacheGroup<Anchors>;
  readonly #computed: CacheGroup<CachedBody>;

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
    this.#responses = new CacheGroup(budget, 'responses');
    this.#totals = new CacheGroup(budget, 'totals');
    this.#anchors = new CacheGroup(budget, 'anchors');
    this.#computed = new CacheGroup(budget, 'computed');
  }

  /** `request` identifies what was requested of the resource. */
  response(request: string): CachedResponse | undefined {
    return this.#responses.get(request);
  }

  /** Kept if the same was requested before, at this version or another. */
  keepResponse(request: string, response: CachedResponse): void {
    if (!this.#doorkeeper.admits(`${this.#account} ${this.#resource} ${request}`)) return;
    const body = encoded(response.body);
    this.#keep(this.#responses, request, (compressed) => ({ ...response, body, compressed }), body);
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
  computed(request: string): CachedBody | undefined {
    return this.#computed.get(request);
  }

  keepComputed(request: string, computed: CachedBody): void {
    this.#keep(this.#computed, request, (compressed) => ({ ...computed, compressed }), computed.body);
  }

  drop(): void {
    for (const group of [this.#responses, this.#totals, this.#anchors, this.#computed]) group.close();
  }

  /** Compressed forms are charged as well, when there are some. */
  #keep<Kept extends CachedBody>(
    group: CacheGroup<Kept>,
    request: string,
    keptWith: (compressed: CompressedText | undefined) => Kept,
    body: string | Pieces,
  ): void {
    const bytes = byteLength(body);
    const kept = keptWith(
      compressible(body, (size) => {
        if (group.has(request, kept)) group.set(request, kept, this.#charge(bytes + size));
      }),
    );
    group.set(request, kept, this.#charge(bytes));
  }

  #charge(bytes: number): Charge {
    return { account: this.#account, bytes };
  }
}
