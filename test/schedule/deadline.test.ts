import { describe, expect, test } from 'vitest';
import { Deadline } from '../../src/schedule/deadline.ts';

const aborted = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve));

describe('a deadline', () => {
  test('aborts its signal when it passes', async () => {
    const { signal } = new Deadline(1);
    await aborted(signal);
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
    const deadline = new Deadline(1);
    if (when === 'before') deadline.end();
    const { signal } = deadline;
    deadline.end();
    await aborted(new Deadline(5).signal);
    expect(signal.aborted).toBe(false);
    expect(deadline.remaining).toBe(Number.POSITIVE_INFINITY);
    deadline.extend(1);
    await aborted(new Deadline(5).signal);
    expect(signal.aborted).toBe(false);
    deadline.cancel('disconnected');
    expect(signal.aborted).toBe(true);
  });
});
