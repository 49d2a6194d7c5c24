/** The clocks: that of the system, and the one that tests turn. */

import { describe, expect, test } from 'vitest';
import { systemClock as clientClock } from '../../src/client/clock.ts';
import { systemClock, timestamp } from '../../src/schedule/clock.ts';
import { TestClock } from '../support/test-clock.ts';

describe.each([
  ['the system', systemClock],
  ['the client', clientClock],
])('the clock of %s', (_, clock) => {
  test('has timers that can be cancelled', async () => {
    const fired: string[] = [];
    const cancel = clock.after(1, () => fired.push('cancelled'));
    cancel();
    await new Promise<void>((resolve) => clock.after(2, resolve));
    expect(fired).toEqual([]);
  });

  test('has pauses that a signal ends', async () => {
    const controller = new AbortController();
    const paused = clock.pause(3_600_000, controller.signal);
    controller.abort();
    await paused;
    await clock.pause(3_600_000, controller.signal);
    await clock.pause(1);
  });

  test('has jitter', () => {
    for (let n = 0; n < 100; n += 1) {
      expect(clock.jitter()).toBeGreaterThanOrEqual(0);
      expect(clock.jitter()).toBeLessThan(1);
    }
  });
});

test('repeated timers fire until they are cancelled', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  let fired = 0;
  const cancel = systemClock.every(1, () => {
    fired += 1;
    if (fired === 3) resolve();
  });
  await promise;
  cancel();
  await systemClock.pause(5);
  expect(fired).toBe(3);
});

describe('a clock that a test turns', () => {
  test('stands still in between', async () => {
    const clock = new TestClock({ wall: Date.parse('2026-03-01T00:00:00Z') });
    const began = clock.monotonic();
    expect(timestamp(clock)).toBe('2026-03-01T00:00:00.000Z');
    await clock.advance(1_500);
    expect(timestamp(clock)).toBe('2026-03-01T00:00:01.500Z');
    expect(clock.monotonic() - began).toBe(1_500);
    clock.set(0);
    expect([clock.wall(), clock.monotonic() - began]).toEqual([0, 1_500]);
  });

  test('fires what becomes due, in order, and at its time', async () => {
    const clock = new TestClock();
    const began = clock.monotonic();
    const fired: string[] = [];
    const record = (name: string) => () => fired.push(`${name} ${clock.monotonic() - began}`);
    clock.after(30, record('late'));
    clock.after(10, record('first'));
    clock.after(10, record('second'));
    clock.after(15, record('cancelled'))();
    const cancel = clock.every(12, record('repeated'));
    expect(clock.waiting).toEqual([10, 10, 12, 30]);
    await clock.advance(29);
    expect(fired).toEqual(['first 10', 'second 10', 'repeated 12', 'repeated 24']);
    await clock.advance(1);
    expect(fired.at(-1)).toBe('late 30');
    cancel();
    await clock.advance(1_000);
    expect(fired).toHaveLength(5);
  });

  test('lets what waits go on before the next is due', async () => {
    const clock = new TestClock();
    const began = clock.monotonic();
    const times: number[] = [];
    const run = async () => {
      for (const pause of [100, 0, 50, 1_000]) {
        await clock.pause(pause);
        times.push(clock.monotonic() - began);
      }
    };
    const running = run();
    await clock.advance(500);
    expect(times).toEqual([100, 100, 150]);
    await clock.through(running);
    expect(times.at(-1)).toBe(1_150);
  });

  test('ends a pause whose signal aborts', async () => {
    const clock = new TestClock();
    const controller = new AbortController();
    const paused = clock.pause(1_000, controller.signal);
    controller.abort();
    await paused;
    await clock.pause(1_000, controller.signal);
    expect(clock.waiting).toEqual([]);
  });

  test('can pass by itself, so that pauses take no time', async () => {
    const clock = new TestClock({ isPassing: true });
    const began = clock.monotonic();
    const times: string[] = [];
    const run = async (name: string, length: number) => {
      for (let n = 0; n < 3; n += 1) {
        await clock.pause(length);
        times.push(`${name} ${clock.monotonic() - began}`);
      }
    };
    await Promise.all([run('a', 100), run('b', 160)]);
    expect(times).toEqual(['a 100', 'b 160', 'a 200', 'a 300', 'b 320', 'b 480']);
  });

  test('fires nothing while the thread is busy', async () => {
    const clock = new TestClock();
    const fired: number[] = [];
    clock.after(10, () => fired.push(clock.monotonic()));
    const began = clock.monotonic();
    clock.elapse(25);
    expect([clock.monotonic() - began, fired]).toEqual([25, []]);
    await clock.advance(0);
    expect(fired).toEqual([began + 25]);
  });

  test('fires what is due at once without being turned', async () => {
    const clock = new TestClock();
    await clock.pause(0);
    await new Promise<void>((resolve) => clock.after(-5, resolve));
    expect(clock.waiting).toEqual([]);
  });
});
