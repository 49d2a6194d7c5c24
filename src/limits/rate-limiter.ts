/**
 * Limits the requests of each key, its browser sessions included, and of all keys of an account together: a rate per second, with bursts of the same size
 * after a pause. The headers are those of draft-ietf-httpapi-ratelimit-headers-10.
 */

import type { Session } from '../access/authenticate.ts';
import { Problem, type ProblemContext } from '../problem/problem.ts';
import type { Bucket, BucketLevels, Buckets } from './token-buckets.ts';

/** Requests per second; 0 means unlimited. */
export interface RateLimits {
  readonly key: number;
  /** For all keys of the account together. */
  readonly account: number;
}

export type RateLimitHeaders = Readonly<Record<'ratelimit' | 'ratelimit-policy', string>>;

/** What the limits say about a request. */
export interface RateLimitVerdict {
  readonly headers: RateLimitHeaders;
  /** If it is over one of them. */
  readonly problem: Problem | undefined;
}

/** A limit that applies to a request. */
interface Policy extends Bucket {
  readonly of: keyof RateLimits;
}

export class RateLimiter {
  readonly #perKey: number;
  readonly #buckets: Buckets;

  /** `perKey` is the limit of keys that have none of their own; 0 means unlimited. */
  constructor(perKey: number, buckets: Buckets) {
    this.#perKey = perKey;
    this.#buckets = buckets;
  }

  limitsOf({ rateLimits: { key, account } }: Session): RateLimits {
    return { key: key ?? this.#perKey, account: account ?? 0 };
  }

  /** Counts a request, unless it is over a limit. Undefined if no limit applies. */
  take(session: Session): RateLimitVerdict | Promise<RateLimitVerdict> | undefined {
    const { key, account } = this.limitsOf(session);
    if (key === 0 && account === 0) return undefined;
    const policies = [
      ...(key === 0 ? [] : [policyOf('key', session.sessionOf ?? session.keyId, key)]),
      ...(account === 0 ? [] : [policyOf('account', session.account.id, account)]),
    ];
    const levels = this.#buckets.take(policies);
    return levels instanceof Promise
      ? levels.then((counted) => verdictOf(policies, counted))
      : verdictOf(policies, levels);
  }
}

function policyOf(of: Policy['of'], id: string | number, perSecond: number): Policy {
  return { of, name: `${of} ${id}`, perSecond, burst: perSecond };
}

function verdictOf(policies: readonly Policy[], levels: BucketLevels): RateLimitVerdict {
  const headers = {
    'ratelimit-policy': policies.map(({ of, burst }) => `"${of}";q=${burst};w=1`).join(', '),
    // A bucket is full again within a second.
    ratelimit: policies.map(({ of }, index) => `"${of}";r=${levels[index]?.tokens ?? 0};t=1`).join(', '),
  };
  const wait = Math.max(...levels.map((level) => level.wait));
  const exceeded = policies[levels.findIndex((level) => level.wait === wait)];
  return { headers, problem: wait > 0 && exceeded !== undefined ? overLimit(exceeded, wait) : undefined };
}

function overLimit({ of, perSecond }: Policy, wait: number): Problem {
  const detail =
    of === 'key'
      ? `This key is limited to ${perSecond} requests per second.`
      : `The keys of this account together are limited to ${perSecond} requests per second.`;
  return new Problem('too_many_requests', detail, retryAfter(wait));
}

/** When to retry, given a wait in milliseconds. */
export function retryAfter(wait: number): Pick<ProblemContext, 'suggestion' | 'headers'> {
  const seconds = Math.ceil(wait / 1_000);
  return { suggestion: `Retry after ${seconds} s.`, headers: { 'retry-after': String(seconds) } };
}
