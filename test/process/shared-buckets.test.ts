/** The token buckets of a node: several workers and the primary that they ask, without the processes. */

import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BucketCall, callBuckets, ownBuckets } from '../../src/limits/limit-buckets.ts';
import { type BucketLevels, type Buckets, TokenBuckets } from '../../src/limits/token-buckets.ts';
import { SharedBuckets } from '../../src/process/shared-buckets.ts';
import { rounds } from '../support/rounds.ts';
import { TestClock } from '../support/test-clock.ts';

const bucket = (perSecond: number, name = 'key a') => [{ name, perSecond, burst: perSecond }];

/** Messages arrive as a copy of what was sent, as between processes. */
function startNode(workers: number) {
  const clock = new TestClock();
  const own = ownBuckets(clock);
  const primary = { isSilent: false, isGone: false, messages: 0 };
  const unanswered: (() => void)[] = [];
  const ask = async (calls: readonly BucketCall[]) => {
    if (primary.isGone) throw new Error('the primary is gone');
    const copy = structuredClone(calls);
    const { promise, resolve } = Promise.withResolvers<readonly BucketLevels[]>();
    const respond = () => {
      primary.messages += 1;
      resolve(structuredClone(copy.map((call) => callBuckets(own, call))));
    };
    if (primary.isSilent) unanswered.push(respond);
    else respond();
    return promise;
  };
  const started = Array.from({ length: workers }, () => new SharedBuckets({ ask, clock }));
  const wakeUp = () => {
    primary.isSilent = false;
    for (const respond of unanswered.splice(0)) respond();
  };
  return { clock, primary, wakeUp, workers: started };
}

async function isAdmitted(buckets: Buckets | undefined, asked: ReturnType<typeof bucket>): Promise<boolean> {
  const levels = await buckets?.take(asked);
  return levels !== undefined && isTaken(levels);
}

function isTaken(levels: BucketLevels): boolean {
  return levels.every(({ wait }) => wait === 0);
}

describe('buckets that several workers share', () => {
  const step = fc.record({
    worker: fc.nat(2),
    key: fc.constantFrom('a', 'b'),
    times: fc.constantFrom(1, 1, 1, 5, 40),
    after: fc.constantFrom(0, 0, 1, 70, 199, 200, 1_000),
  });
  const steps = fc.array(step, { maxLength: 40 });

  test('admit exactly what those of one process admit', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 300 }), async (taken, perSecond) => {
        const { clock, workers } = startNode(3);
        const single = new TokenBuckets(clock);
        for (const { worker, key, times, after } of taken) {
          clock.elapse(after);
          // The account takes part in every request.
          const asked = [...bucket(perSecond, key), ...bucket(2 * perSecond, 'account')];
          for (let n = 0; n < times; n += 1)
            expect(await isAdmitted(workers[worker]?.set('requests'), asked)).toBe(isTaken(single.take(asked)));
        }
      }),
      { numRuns: rounds(30, 1_000) },
    );
  });

  test('what is asked in one iteration of the event loop is one message', async () => {
    const { primary, workers } = startNode(1);
    const buckets = workers[0]?.set('requests');
    const admitted = await Promise.all(Array.from({ length: 100 }, () => isAdmitted(buckets, bucket(40))));
    expect(admitted.filter(Boolean)).toHaveLength(40);
    expect(primary.messages).toBe(1);
  });

  test('what one worker spends is missing in another', async () => {
    const { workers } = startNode(2);
    const [one, other] = workers.map((worker) => worker.set('failed attempts'));
    for (let n = 0; n < 3; n += 1) one?.spend(bucket(2));
    await setImmediate();
    expect(await other?.look(bucket(2))).toEqual([{ tokens: 0, wait: 1_000 }]);
    expect(await workers[0]?.set('requests').look(bucket(2))).toEqual([{ tokens: 2, wait: 0 }]);
  });
});

describe('a primary that does not respond', () => {
  test('is not waited for: each worker counts by itself until it responds', async () => {
    const { clock, primary, wakeUp, workers } = startNode(2);
    const [one, other] = workers.map((worker) => worker.set('requests'));
    primary.isSilent = true;
    const asked = [one, other].map((worker) => isAdmitted(worker, bucket(1)));
    await clock.advance(2_000);
    expect(await Promise.all(asked)).toEqual([true, true]);
    for (const worker of [one, other]) expect(await isAdmitted(worker, bucket(1))).toBe(false);
    wakeUp();
    // It has counted what it was asked meanwhile.
    expect(await isAdmitted(one, bucket(1))).toBe(false);
    expect(await isAdmitted(one, bucket(5, 'key b'))).toBe(true);
    expect(await other?.look(bucket(5, 'key b'))).toEqual([{ tokens: 4, wait: 0 }]);
  });

  test('is not waited for at all if it is gone', async () => {
    const { primary, workers } = startNode(1);
    primary.isGone = true;
    const buckets = workers[0]?.set('requests');
    expect(await isAdmitted(buckets, bucket(1))).toBe(true);
    expect(await isAdmitted(buckets, bucket(1))).toBe(false);
    buckets?.spend(bucket(1));
    expect(await buckets?.look(bucket(1))).toEqual([{ tokens: 0, wait: 2_000 }]);
  });
});
