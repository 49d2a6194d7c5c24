/**
 * The responses to requests about one resource of one account, at one version of its ledger. They are dropped together when
 * another version is seen, so none can be stale.
 */

import type { Resource } from '../catalog/resource.ts';
import type { AccountId } from '../store/account-id.ts';
import { byteLength, encoded, type Pieces } from '../store/pieces.ts';
import { type CacheBudget, CacheGroup } from '../store/state/cache.ts';
import { States } from '../store/state/states.ts';
import type { LedgerVersion } from '../store/version.ts';
import { type CompressedText, compressible } from './compressed-text.ts';
import { Doorkeeper } from './doorkeeper.ts';

export interface CachedBody {
  readonly body: string | Pieces;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined if compressing it is not worthwhile. */
  readonly compressed?: CompressedText | undefined;
}

export interface CachedResponse extends CachedBody {
  readonly status: number;
  readonly rows?: number | undefined;
  /** The filter of the request as the log shows it, without values. */
  readonly loggedFilter?: string | undefined;
}

/** Of all resources of all accounts. */
export type ResponseCache = States<CachedResponses>;

export function responseCache(budget: CacheBudget): ResponseCache {
  const doorkeeper = new Doorkeeper();
  return new States(
    (account, resource, version) => new CachedResponses(account, resource, version, budget, doorkeeper),
  );
}

export class CachedResponses {
  readonly version: LedgerVersion;
  readonly #account: AccountId;
  readonly #resource: Resource;
  readonly #doorkeeper: Doorkeeper;
  readonly #responses: CacheGroup<CachedResponse>;
  readonly #computed: CacheGroup<CachedBody>;

  constructor(
    account: AccountId,
    resource: Resource,
    version: LedgerVersion,
    budget: CacheBudget,
    doorkeeper: Doorkeeper,
  ) {
    this.#account = account;
    this.#resource = resource;
    this.version = version;
    this.#doorkeeper = doorkeeper;
    this.#responses = new CacheGroup(budget, 'responses');
    this.#computed = new CacheGroup(budget, 'computed');
  }

  /** `request` identifies what was requested of the resource. */
  response(request: string): CachedResponse | undefined {
    return this.#responses.get(request);
  }

  /** Kept if the same was requested before, at this version or another. */
  keepResponse(request: string, response: CachedResponse): void {
    if (!this.#doorkeeper.admits(`${this.#account} ${this.#resource.name} ${request}`)) return;
    const body = encoded(response.body);
    this.#keep(this.#responses, request, (compressed) => ({ ...response, body, compressed }), body);
  }

  /** The body of a response that takes long to compute, so unlike others it is always kept. */
  computed(request: string): CachedBody | undefined {
    return this.#computed.get(request);
  }

  keepComputed(request: string, computed: CachedBody): void {
    this.#keep(this.#computed, request, (compressed) => ({ ...computed, compressed }), computed.body);
  }

  drop(): void {
    this.#responses.close();
    this.#computed.close();
  }

  /** Compressed forms are charged as well, when there are some. */
  #keep<Kept extends CachedBody>(
    group: CacheGroup<Kept>,
    request: string,
    keptWith: (compressed: CompressedText | undefined) => Kept,
    body: string | Pieces,
  ): void {
    const bytes = byteLength(body);
    const charge = (size: number) => ({ account: this.#account, bytes: size });
    const kept = keptWith(
      compressible(body, (size) => {
        if (group.has(request, kept)) group.set(request, kept, charge(bytes + size));
      }),
    );
    group.set(request, kept, charge(bytes));
  }
}
