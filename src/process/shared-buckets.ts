/**
 * The token buckets of a node with several workers. The primary process has them, and workers ask it, so that a limit holds
 * for the node, whichever worker gets a request. What a worker asks in one iteration of the event loop is one message.
 *
 * A primary that does not respond is not waited for: until it does, each worker counts by itself.
 */

import cluster from 'node:cluster';
import {
  type BucketCall,
  type BucketSet,
  callBuckets,
  type LimitBuckets,
  ownBuckets,
} from '../limits/limit-buckets.ts';
import type { BucketLevels, Buckets, TokenBuckets } from '../limits/token-buckets.ts';
import { type Clock, systemClock } from '../schedule/clock.ts';
import { type Channel, channelTo } from './channel.ts';

/** How long a worker waits for the primary, in milliseconds. */
const MAX_WAIT = 2_000;

/** Called in the primary process, before it starts workers. */
export function shareBuckets(): void {
  const own = ownBuckets(systemClock);
  cluster.on('fork', (worker) =>
    channelTo(worker).handle('buckets', (calls) => calls.map((call) => callBuckets(own, call))),
  );
}

/** Called in a worker. */
export function primaryBuckets(primary: Channel): LimitBuckets {
  const shared = new SharedBuckets({ ask: (calls) => primary.request('buckets', calls) });
  return { requests: shared.set('requests'), 'failed attempts': shared.set('failed attempts') };
}

export interface SharedBucketsParts {
  /** Resolves to the results in the order of the calls. Rejects if the primary is gone. */
  readonly ask: (calls: readonly BucketCall[]) => Promise<readonly BucketLevels[]>;
  readonly clock?: Clock;
}

interface Waiting {
  readonly call: BucketCall;
  readonly resolve: (levels: BucketLevels) => void;
}

/** The worker's side. */
export class SharedBuckets {
  readonly #askPrimary: SharedBucketsParts['ask'];
  readonly #clock: Clock;
  /** Count while the primary does not respond. */
  readonly #own: LimitBuckets<TokenBuckets>;
  #unsent: Waiting[] = [];
  #isSilent = false;

  constructor({ ask, clock = systemClock }: SharedBucketsParts) {
    this.#askPrimary = ask;
    this.#clock = clock;
    this.#own = ownBuckets(clock);
  }

  set(set: BucketSet): Buckets {
    return {
      take: (buckets) => this.#ask({ set, action: 'take', buckets }),
      look: (buckets) => this.#ask({ set, action: 'look', buckets }),
      spend: (buckets) => void this.#ask({ set, action: 'spend', buckets }),
    };
  }

  #ask(call: BucketCall): BucketLevels | Promise<BucketLevels> {
    if (this.#isSilent) return callBuckets(this.#own, call);
    return new Promise((resolve) => {
      if (this.#unsent.push({ call, resolve }) === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const waiting = this.#unsent;
    this.#unsent = [];
    // Those that were answered here are not counted a second time if the primary is gone.
    const giveUp = () => {
      this.#isSilent = true;
      for (const { call, resolve } of waiting.splice(0)) resolve(callBuckets(this.#own, call));
    };
    const cancelTimer = this.#clock.after(MAX_WAIT, giveUp);
    this.#askPrimary(waiting.map(({ call }) => call))
      .then((results) => {
        this.#isSilent = false;
        for (const [index, { resolve }] of waiting.entries()) resolve(results[index] ?? []);
      }, giveUp)
      .finally(cancelTimer);
  }
}
