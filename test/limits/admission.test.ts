import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Admission, equalShare } from '../../src/limits/admission.ts';
import { LoopDelay } from '../../src/limits/loop-delay.ts';
import { TestClock } from '../support/test-clock.ts';

const MAX_DELAY = 20;

/** An event loop whose delay and time a test decides. */
function simulate() {
  const loop = { delay: 0, clock: new TestClock() };
  const admission = new Admission({ maxDelay: MAX_DELAY, delay: () => loop.delay, clock: loop.clock });
  return {
    loop,
    /** Which share of its requests each caller gets, given how many it sends per millisecond. */
    send(milliseconds: number, rates: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
      const callers = Object.entries(rates).map(([name, rate]) => ({ name, rate, due: 0, sent: 0, admitted: 0 }));
      for (let n = 0; n < milliseconds; n += 1) {
        loop.clock.elapse(1);
        for (const caller of callers) {
          for (caller.due += caller.rate; caller.due >= 1; caller.due -= 1) {
            caller.sent += 1;
            if (admission.admits(caller.name)) caller.admitted += 1;
          }
        }
      }
      return Object.fromEntries(callers.map(({ name, sent, admitted }) => [name, admitted / sent]));
    },
  };
}

describe('admission', () => {
  test('admits everything while requests wait no longer than they may', () => {
    const { loop, send } = simulate();
    loop.delay = MAX_DELAY;
    expect(send(2_000, { heavy: 50, quiet: 0.1 })).toEqual({ heavy: 1, quiet: 1 });
  });

  test('less and less of the account that sends most, while they wait longer, and all of the others', () => {
    const { loop, send } = simulate();
    loop.delay = MAX_DELAY + 1;
    const first = send(500, { heavy: 10, quiet: 0.1 });
    const later = send(500, { heavy: 10, quiet: 0.1 });
    expect(first['heavy']).toBeLessThan(1);
    expect(later['heavy']).toBeLessThan(first['heavy'] ?? 0);
    expect(later['heavy']).toBeGreaterThan(0);
    expect([first['quiet'], later['quiet']]).toEqual([1, 1]);
  });

  test('accounts that send much get the same, however much it is', () => {
    const { loop, send } = simulate();
    loop.delay = MAX_DELAY + 1;
    send(600, { heavy: 8, heavier: 16, quiet: 0.1 });
    const { heavy = 0, heavier = 0, quiet } = send(100, { heavy: 8, heavier: 16, quiet: 0.1 });
    expect(heavier / heavy).toBeCloseTo(0.5, 1);
    expect(quiet).toBe(1);
  });

  test.each([1, 1_000, 10_000])('less of the requests of %i accounts, however few each of them sends', (count) => {
    const clock = new TestClock();
    const admission = new Admission({ maxDelay: MAX_DELAY, delay: () => 10 * MAX_DELAY, clock });
    let admitted = 0;
    for (let n = 0; n < 20_000; n += 1) {
      clock.elapse(0.1);
      if (admission.admits(n % count) && n >= 10_000) admitted += 1;
    }
    expect(admitted / 10_000).toBeLessThan(0.4);
    expect(admitted / 10_000).toBeGreaterThan(0.2);
  });

  test('everything again, once they do not wait', () => {
    const { loop, send } = simulate();
    loop.delay = 10 * MAX_DELAY;
    send(10_000, { heavy: 10 });
    // To refuse more would not help.
    expect(send(200, { heavy: 10 })['heavy']).toBeCloseTo(0.25, 1);
    loop.delay = 0;
    send(3_000, { heavy: 10 });
    expect(send(1_000, { heavy: 10 })).toEqual({ heavy: 1 });
  });

  test('everything after a pause', () => {
    const { loop, send } = simulate();
    loop.delay = MAX_DELAY + 1;
    send(1_000, { heavy: 10 });
    loop.delay = 0;
    loop.clock.elapse(5_000);
    expect(send(1_000, { heavy: 10 })).toEqual({ heavy: 1 });
  });

  test('everything, if only one iteration of the event loop took long', () => {
    const { loop, send } = simulate();
    send(95, { heavy: 10 });
    loop.delay = 300;
    loop.clock.elapse(300);
    send(1, { heavy: 10 });
    loop.delay = 0;
    expect(send(1_000, { heavy: 10 })).toEqual({ heavy: 1 });
  });

  test('everything, without a limit', () => {
    const admission = new Admission({ maxDelay: 0, delay: () => 1_000 });
    expect(Array.from({ length: 1_000 }, () => admission.admits(1))).not.toContain(false);
  });

  test('shares use the capacity up, and nobody who demands less than an equal one gets less', () => {
    const demands = fc.array(fc.double({ min: 0.001, max: 1_000, noNaN: true }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(demands, fc.double({ min: 0.1, max: 5_000, noNaN: true }), (demanded, capacity) => {
        const share = equalShare(demanded, capacity);
        const total = demanded.reduce((sum, demand) => sum + Math.min(demand, share), 0);
        const all = demanded.reduce((sum, demand) => sum + demand, 0);
        expect(total / Math.min(all, capacity)).toBeCloseTo(1, 6);
        expect(share * (1 + 1e-9)).toBeGreaterThanOrEqual(capacity / demanded.length);
      }),
    );
  });
});

describe('the delay of the event loop', () => {
  const iterated = () => new Promise<void>((resolve) => setImmediate(resolve));

  test('is the work of the iterations since requests arrived last, and nothing after the loop was idle', async () => {
    const loop = new LoopDelay();
    for (let n = 0; n < 100; n += 1) loop.current();
    await iterated();
    work();
    const delay = loop.current();
    expect(delay).toBeGreaterThan(0);
    work();
    // The same for all requests of an iteration.
    expect(loop.current()).toBe(delay);
    await expect.poll(() => loop.current()).toBe(0);
  });
});

function work(): void {
  const start = process.threadCpuUsage().user;
  while (process.threadCpuUsage().user - start < 2_000) Math.sqrt(start);
}
