/**
 * Limits failed authentication for each client address, and reports a sample of it. An address over the limit gets a 429,
 * and its keys are not looked up, except those that were accepted before.
 */

import { hasCredentials, keyIn, type RefusalReason } from '../access/authenticate.ts';
import { accountInHost } from '../access/host.ts';
import type { Emit } from '../observe/events.ts';
import { Problem } from '../problem/problem.ts';
import { clientNetwork } from '../request/client-network.ts';
import type { Request } from '../request/request.ts';
import { routeName } from '../request/route.ts';
import { type Clock, systemClock } from '../schedule/clock.ts';
import type { Accounts, Keys } from '../store/store.ts';
import { retryAfter } from './rate-limiter.ts';
import type { Bucket, Buckets } from './token-buckets.ts';

/** How many attempts may fail at once, as a multiple of those that may fail per second. */
const BURST = 10;

/** The shortest time between two events, in milliseconds. */
const EVENT_INTERVAL = 1_000;

export type Attempt = Pick<Request, 'id' | 'address' | 'headers' | 'sessionKey' | 'target'>;

/** What an event names, if it exists: what a client sends may be anything, even a secret in the wrong place. */
export interface Known {
  readonly keys: Pick<Keys, 'find'>;
  readonly accounts: Pick<Accounts, 'find'>;
  readonly domain: string;
}

type FailureReason = RefusalReason | 'too many attempts';

export class FailedAttempts {
  readonly #perSecond: number;
  readonly #emit: Emit;
  readonly #clock: Clock;
  readonly #buckets: Buckets;
  readonly #known: Known;
  #emittedAt = Number.NEGATIVE_INFINITY;
  #notLogged = 0;

  /** 0 means unlimited. */
  constructor(perSecond: number, buckets: Buckets, known: Known, emit: Emit, clock: Clock = systemClock) {
    this.#perSecond = perSecond;
    this.#known = known;
    this.#buckets = buckets;
    this.#emit = emit;
    this.#clock = clock;
  }

  /** A problem if the address is over the limit. */
  async check(attempt: Attempt): Promise<Problem | undefined> {
    if (this.#perSecond === 0 || !hasCredentials(attempt)) return undefined;
    const [level] = await this.#buckets.look([this.#bucketOf(attempt)]);
    const wait = level?.wait ?? 0;
    if (wait === 0) return undefined;
    const problem = new Problem(
      'too_many_failed_attempts',
      'Too many requests from this address had a key that was not accepted.',
      retryAfter(wait),
    );
    this.#report(attempt, 'too many attempts');
    return problem;
  }

  /** Counts an attempt that failed. Attempts that are checked at the same time may overdraw the limit, and delay later ones. */
  add(attempt: Attempt, reason: RefusalReason): void {
    if (!hasCredentials(attempt)) return;
    if (this.#perSecond > 0) this.#buckets.spend([this.#bucketOf(attempt)]);
    this.#report(attempt, reason);
  }

  #bucketOf({ address }: Attempt): Bucket {
    return { name: clientNetwork(address), perSecond: this.#perSecond, burst: BURST * this.#perSecond };
  }

  /** The response does not wait for it, so that its time says nothing about what exists. */
  #report(attempt: Attempt, reason: FailureReason): void {
    const now = this.#clock.monotonic();
    if (now - this.#emittedAt < EVENT_INTERVAL) {
      this.#notLogged += 1;
      return;
    }
    const notLogged = this.#notLogged;
    this.#emittedAt = now;
    this.#notLogged = 0;
    const { id: requestId, address, target } = attempt;
    const route = routeName(target);
    const emit = (names: { readonly account: string | undefined; readonly key: string | undefined }) =>
      this.#emit({ kind: 'authentication failed', requestId, route, address, ...names, reason, notLogged });
    this.#namesOf(attempt).then(emit, () => emit({ account: undefined, key: undefined }));
  }

  async #namesOf(attempt: Attempt) {
    const { keys, accounts, domain } = this.#known;
    const [claim, key] = [accountInHost(attempt.headers.host, domain), keyIn(attempt)];
    const account = claim.kind === 'account' ? await accounts.find(claim.name) : undefined;
    const found = key === undefined ? undefined : await keys.find(key.id);
    return { account: account?.name, key: found?.key.id };
  }
}
