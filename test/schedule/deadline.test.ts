import { describe, expect, test } from 'vitest';
import { Deadline } from '../../src/schedule/deadline.ts';
import { TestClock } from '../support/test-clock.ts';

describe('a deadline', () => {
  test('aborts its signal when it passes', async () => {
    const clock = new TestClock();
    const deadline = new Deadline(1_000, clock);
    const { signal } = deadline;
    await clock.advance(999);
    expect([signal.aborted, deadline.remaining]).toEqual([false, 1]);
    await clock.advance(1);
    expect(signal.reason).toMatchObject({ name: 'Cancelled', reason: 'deadline' });
  });

  test('aborts its signal when it is cancelled, once', () => {
    const deadline = new Deadline(60_000);
    const { signal } = deadline;
    expect(signal.aborted).toBe(false);
    deadline.cancel('disconnected');
    deadline.cancel('stopping');
    expect(signal.reason).toMatchObject({ reason: 'disconnected' });
  });

  test('that was cancelled before anybody asked for its signal has an aborted one', () => {
    const deadline = new Deadline(60_000);
    deadline.cancel('disconnected');
    expect(deadline.signal.reason).toMatchObject({ reason: 'disconnected' });
  });

  test.each(['before', 'after'])('does not pass once it has ended, but can be cancelled (ended %s)', async (when) => {
    const clock = new TestClock();
    const deadline = new Deadline(1_000, clock);
    if (when === 'before') deadline.end();
    const { signal } = deadline;
    deadline.end();
    await clock.advance(2_000);
    expect(signal.aborted).toBe(false);
    expect(deadline.remaining).toBe(Number.POSITIVE_INFINITY);
    deadline.extend(1);
    await clock.advance(2_000);
    expect(signal.aborted).toBe(false);
    deadline.cancel('disconnected');
    expect(signal.aborted).toBe(true);
  });

  test.each(['before', 'after'])('can be extended (its signal is created %s)', async (when) => {
    const clock = new TestClock();
    const deadline = new Deadline(1_000, clock);
    if (when === 'before') expect(deadline.signal.aborted).toBe(false);
    deadline.extend(500);
    await clock.advance(1_499);
    expect([deadline.signal.aborted, deadline.remaining]).toEqual([false, 1]);
    await clock.advance(1);
    expect(deadline.signal.aborted).toBe(true);
  });
});
