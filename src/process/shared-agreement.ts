/**
 * All processes of a node use the same PostgreSQL server. The primary process knows which one each of them has connections to, and lets nobody use
 * another one until every worker has released the first.
 */

import cluster from 'node:cluster';
import { type Clock, systemClock } from '../schedule/clock.ts';
import { Deadline } from '../schedule/deadline.ts';
import type { ServerAgreement, ServerHolder } from '../store/server-agreement.ts';
import { StoreUnavailable } from '../store/store-error.ts';
import { type Channel, channelTo } from './channel.ts';

/** How long a worker may take to find out if its server still accepts writes, in milliseconds. A worker that does not respond may still be using it. */
const VERIFY_TIMEOUT = 10_000;

/** How long a worker waits for the primary process, in milliseconds, which may wait for another worker. */
const CLAIM_TIMEOUT = VERIFY_TIMEOUT + 5_000;

/** Called in the primary process, before it starts workers. */
export function shareAgreement(agreement: ServerAgreement): void {
  cluster.on('fork', (worker) => {
    const releaseAll = serveClaims(channelTo(worker), agreement);
    worker.once('exit', releaseAll);
  });
}

/** For one worker. Returns a function that releases all that it holds. */
export function serveClaims(worker: Channel, agreement: ServerAgreement, clock: Clock = systemClock): () => void {
  const holders = new Map<number, ServerHolder>();
  const verify = async (number: number) => {
    await within(VERIFY_TIMEOUT, clock, (signal) => worker.request('verify server', number, signal)).catch(
      () => undefined,
    );
  };
  worker.handle('claim server', async ({ holder: number, server }) => {
    const holder = holders.get(number) ?? { verify: () => verify(number) };
    holders.set(number, holder);
    return (await agreement.claim(holder, server)) ?? null;
  });
  worker.handle('release server', (number) => {
    const holder = holders.get(number);
    if (holder !== undefined) agreement.release(holder);
    return null;
  });
  return () => {
    for (const holder of holders.values()) agreement.release(holder);
  };
}

/** Called in a worker. */
export function primaryAgreement(primary: Channel, clock: Clock = systemClock): ServerAgreement {
  const numbers = new Map<ServerHolder, number>();
  const holders: ServerHolder[] = [];
  const numberOf = (holder: ServerHolder) => {
    const number = numbers.get(holder) ?? holders.push(holder) - 1;
    numbers.set(holder, number);
    return number;
  };
  primary.handle('verify server', async (number) => {
    await holders[number]?.verify();
    return null;
  });
  return {
    async claim(holder, server) {
      const claim = { holder: numberOf(holder), server };
      const claiming = within(CLAIM_TIMEOUT, clock, (signal) => primary.request('claim server', claim, signal));
      const answer = await claiming.catch(() => {
        throw new StoreUnavailable('unreachable', 'the primary process does not say which server may be used');
      });
      return answer ?? undefined;
    },
    // If the primary process is gone, there is nobody to agree with.
    release: (holder) => void primary.request('release server', numberOf(holder)).catch(() => undefined),
  };
}

/** Does something that ends when its signal aborts, after this many milliseconds at the latest. */
function within<Result>(timeout: number, clock: Clock, act: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
  const deadline = new Deadline(timeout, clock);
  return act(deadline.signal).finally(() => deadline.end());
}
