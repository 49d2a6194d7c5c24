/** Identical requests share a computation, also if the client that began it leaves. */

import { expect, test } from 'vitest';
import { Computations } from '../../src/limits/computations.ts';
import { Deadline } from '../../src/schedule/deadline.ts';

test('a computation whose client has left is waited for until it ends', async () => {
  const computations = new Computations();
  const deadline = new Deadline(60_000);
  const computing = Promise.withResolvers<string>();
  const first = computations.run('a', { account: 1, cost: 1, deadline }, () => computing.promise);
  const joined = computations.running('a');
  deadline.cancel('disconnected');
  await expect(first).rejects.toThrow('disconnected');
  // Whoever asks now joins it as well: otherwise it would ask again and again.
  let hasEnded = false;
  void computations.running('a')?.then(() => {
    hasEnded = true;
  });
  await new Promise(setImmediate);
  expect({ hasEnded, isSame: computations.running('a') === joined }).toEqual({ hasEnded: false, isSame: true });
  computing.resolve('result');
  expect(await joined).toBe('result');
  expect(computations.running('a')).toBeUndefined();
});

test('a computation that fails ends without a result', async () => {
  const computations = new Computations();
  const job = { account: 1, cost: 1, deadline: new Deadline(60_000) };
  const failed = computations.run('a', job, () => Promise.reject(new Error('failed')));
  const joined = computations.running('a');
  await expect(failed).rejects.toThrow('failed');
  expect(await joined).toBeUndefined();
  expect(computations.running('a')).toBeUndefined();
});

test('a computation that never begins ends when its client leaves', async () => {
  const computations = new Computations();
  const running = Array.from({ length: 2 }, (_, n) => {
    const computing = Promise.withResolvers<string>();
    const deadline = new Deadline(60_000);
    void computations.run(`running ${n}`, { account: 1, cost: 1, deadline }, () => computing.promise);
    return computing;
  });
  const deadline = new Deadline(60_000);
  const waiting = computations.run('waiting', { account: 1, cost: 1, deadline }, async () => 'never');
  const joined = computations.running('waiting');
  deadline.cancel('disconnected');
  await expect(waiting).rejects.toThrow('disconnected');
  expect(await joined).toBeUndefined();
  for (const { resolve } of running) resolve('done');
});
