/**
 * Sessions granted before, so that a key need not be looked up and hashed for every request. A session is only as good as
 * its access version: every store call verifies it, so a key that was revoked, here or on another node, ends with the next
 * request.
 */

import { Problem } from '../problem/problem.ts';
import type { RequestHeaders } from '../request/request.ts';
import { type CacheBudget, CacheGroup } from '../store/state/cache.ts';
import type { Keys } from '../store/store.ts';
import { authenticate, type Session } from './authenticate.ts';

/** The approximate size of a session in bytes. */
const SESSION_BYTES = 800;

export class Sessions {
  readonly #keys: Pick<Keys, 'find'>;
  readonly #domain: string;
  /** By credentials. */
  readonly #known: CacheGroup<Session>;
  /** In milliseconds since the epoch. */
  readonly #now: () => number;

  constructor(keys: Pick<Keys, 'find'>, domain: string, budget: CacheBudget, now: () => number = Date.now) {
    this.#keys = keys;
    this.#domain = domain;
    this.#known = new CacheGroup(budget);
    this.#now = now;
  }

  /** The session that was granted to these credentials before. Whether it still holds has to be verified. */
  recall(headers: RequestHeaders): Session | undefined {
    const session = this.#known.get(credentials(headers));
    return session !== undefined && this.#now() < session.expiresAt ? session : undefined;
  }

  async grant(headers: RequestHeaders): Promise<Session | Problem> {
    const session = await authenticate(headers, this.#keys, this.#domain, new Date(this.#now()).toISOString());
    if (session instanceof Problem) this.#known.delete(credentials(headers));
    else this.#known.set(credentials(headers), session, SESSION_BYTES);
    return session;
  }
}

function credentials({ host, authorization }: RequestHeaders): string {
  return `${host}\n${authorization}`;
}
