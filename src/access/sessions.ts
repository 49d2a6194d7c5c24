/**
 * Sessions granted before, so that a key need not be looked up and hashed for every request. A session is only as good as
 * its access version: every store call verifies it, so a key that was revoked, here or on another node, ends with the next
 * request.
 */

import type { Attempt, FailedAttempts } from '../limits/failed-attempts.ts';
import type { Problem } from '../problem/problem.ts';
import type { Request } from '../request/request.ts';
import { type Clock, systemClock, timestamp } from '../schedule/clock.ts';
import { type CacheBudget, CacheGroup } from '../store/state/cache.ts';
import type { Keys } from '../store/store.ts';
import { authenticate, type Credentials, Refusal, type Session } from './authenticate.ts';
import { originOf } from './host.ts';
import { expiryNotice } from './key-expiry.ts';

/** The approximate size of a session in bytes. */
const SESSION_BYTES = 800;

export interface SessionsParts {
  readonly keys: Pick<Keys, 'find' | 'isRevoked'>;
  readonly domain: string;
  readonly budget: CacheBudget;
  readonly failedAttempts: FailedAttempts;
  readonly clock?: Pick<Clock, 'wall'>;
}

export class Sessions {
  readonly #keys: Pick<Keys, 'find' | 'isRevoked'>;
  readonly #domain: string;
  readonly #failedAttempts: FailedAttempts;
  /** By credentials. */
  readonly #known: CacheGroup<Session>;
  readonly #clock: Pick<Clock, 'wall'>;

  constructor({ keys, domain, budget, failedAttempts, clock = systemClock }: SessionsParts) {
    this.#keys = keys;
    this.#domain = domain;
    this.#failedAttempts = failedAttempts;
    this.#known = new CacheGroup(budget, 'sessions');
    this.#clock = clock;
  }

  /** The session that was granted to these credentials before. Whether it still holds has to be verified. */
  cached(request: Credentials): Session | undefined {
    const session = this.#known.get(nameOf(request));
    return session !== undefined && this.holds(session) ? session : undefined;
  }

  /** Whether a session has neither expired nor been revoked, as far as is known without the database. */
  holds({ expiresAt, keyId, sessionOf }: Session): boolean {
    if (this.#clock.wall() >= expiresAt || this.#keys.isRevoked(keyId)) return false;
    return sessionOf === null || !this.#keys.isRevoked(sessionOf);
  }

  /**
   * Who seems to send a request: the account whose key was accepted before. All others are one caller: clients without a key can use any
   * number of addresses. Only to treat callers equally.
   */
  callerOf(request: Credentials): number | 'others' {
    return this.#known.peek(nameOf(request))?.account.id ?? 'others';
  }

  /** How clients address the service. Undefined if that is not known. */
  originOf(request: Pick<Request, 'headers' | 'scheme'>): string | undefined {
    return originOf(request, this.#domain);
  }

  /** What the headers of a response say about the end of its key. */
  expiryNotice({ keyExpiresAt }: Session): Readonly<Record<string, string>> {
    return expiryNotice(keyExpiresAt, this.#clock.wall());
  }

  /** Credentials that were accepted before are looked up even if their address is over the limit. */
  async grant(request: Attempt): Promise<Session | Problem> {
    const known = nameOf(request);
    const limited = this.#known.peek(known) === undefined ? await this.#failedAttempts.check(request) : undefined;
    if (limited !== undefined) return limited;
    const session = await this.#authenticate(request);
    if (session instanceof Refusal) {
      this.#known.delete(known);
      this.#failedAttempts.add(request, session.reason);
      return session.problem;
    }
    this.#known.set(known, session, { account: session.account.id, bytes: SESSION_BYTES });
    return session;
  }

  /** The session that credentials belong to. Looking it up is not an attempt to sign in, so a refusal does not count as a failed one. */
  async find(request: Credentials): Promise<Session | undefined> {
    const session = await this.#authenticate(request);
    return session instanceof Refusal ? undefined : session;
  }

  #authenticate(request: Credentials): Promise<Session | Refusal> {
    return authenticate(request, this.#keys, this.#domain, timestamp(this.#clock));
  }
}

/** No header begins with a line break, so the key of a session is never taken for what a client has sent as `Authorization`. */
function nameOf({ headers: { host, authorization }, sessionKey }: Credentials): string {
  return sessionKey === undefined ? `${host}\n${authorization}` : `${host}\n\n${sessionKey}`;
}
