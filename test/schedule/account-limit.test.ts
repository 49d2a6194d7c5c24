/** Short jobs of one account: some run, the others wait for them. */

import { expect, test } from 'vitest';
import { AccountLimit } from '../../src/schedule/account-limit.ts';
import { Deadline } from '../../src/schedule/deadline.ts';
import { TestClock } from '../support/test-clock.ts';

class Jobs {
  readonly limit = new AccountLimit(2, { maxDelay: 0, clock: new TestClock() });
  readonly started: string[] = [];
  readonly #finish = new Map<string, () => void>();

  run(name: string, account: number, deadline = new Deadline(Number.POSITIVE_INFINITY)): Promise<string> {
    return this.limit.run({ account, cost: 0, deadline }, () => {
      const { promise, resolve } = Promise.withResolvers<string>();
      this.started.push(name);
      this.#finish.set(name, () => resolve(name));
      return promise;
    });
  }

  async finish(name: string): Promise<void> {
    this.#finish.get(name)?.();
    await new Promise(setImmediate);
  }
}

test('jobs beyond the limit wait for others of their account, in order', async () => {
  const jobs = new Jobs();
  const results = ['a', 'b', 'c', 'd'].map((name) => jobs.run(name, 1));
  expect(jobs.started).toEqual(['a', 'b']);
  await jobs.finish('b');
  expect(jobs.started).toEqual(['a', 'b', 'c']);
  await jobs.finish('a');
  expect(jobs.started).toEqual(['a', 'b', 'c', 'd']);
  for (const name of ['c', 'd']) await jobs.finish(name);
  expect(await Promise.all(results)).toEqual(['a', 'b', 'c', 'd']);
});

test('jobs of another account do not wait', () => {
  const jobs = new Jobs();
  for (const name of ['a', 'b', 'c']) void jobs.run(name, 1);
  void jobs.run('other', 2);
  expect(jobs.started).toEqual(['a', 'b', 'other']);
});

test('a job that was cancelled while it waited is not run, and the next one is', async () => {
  const jobs = new Jobs();
  const deadline = new Deadline(Number.POSITIVE_INFINITY);
  for (const name of ['a', 'b']) void jobs.run(name, 1);
  const cancelled = jobs.run('c', 1, deadline);
  void jobs.run('d', 1);
  deadline.cancel('disconnected');
  await Promise.all([
    expect(cancelled).rejects.toMatchObject({ name: 'Cancelled', reason: 'disconnected' }),
    jobs.finish('a'),
  ]);
  expect(jobs.started).toEqual(['a', 'b', 'd']);
});

test('a job that fails makes room for the next', async () => {
  const jobs = new Jobs();
  const deadline = new Deadline(Number.POSITIVE_INFINITY);
  const failed = jobs.limit.run({ account: 1, cost: 0, deadline }, () => Promise.reject(new Error('no')));
  for (const name of ['a', 'b']) void jobs.run(name, 1);
  await expect(failed).rejects.toThrow('no');
  await new Promise(setImmediate);
  expect(jobs.started).toEqual(['a', 'b']);
});
