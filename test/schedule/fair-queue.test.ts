/** Fair scheduling: jobs are finished by hand, so that the order in which they start is exact. */

import { describe, expect, test } from 'vitest';
import { Deadline } from '../../src/schedule/deadline.ts';
import { FairQueue, type Job, Overloaded, type QueueLimits } from '../../src/schedule/fair-queue.ts';
import { TestClock } from '../support/test-clock.ts';

interface Started {
  readonly name: string;
  finish(): void;
}

class Recorder {
  readonly queue: FairQueue;
  readonly started: Started[] = [];
  readonly clock = new TestClock();

  constructor(limits: Partial<QueueLimits> = {}) {
    this.queue = new FairQueue({ slots: 1, maxRunning: 1, maxQueued: 100, ...limits }, this.clock);
  }

  get names(): readonly string[] {
    return this.started.map(({ name }) => name);
  }

  run(name: string, job: Partial<Job> & Pick<Job, 'account'>): Promise<string> {
    return this.queue.run({ cost: 1, deadline: forever(), ...job }, () => {
      const { promise, resolve } = Promise.withResolvers<string>();
      this.started.push({ name, finish: () => resolve(name) });
      return promise;
    });
  }

  /** Finishes the job that was started last, after a millisecond, and lets the next one start. */
  async finish(): Promise<void> {
    this.clock.elapse(1);
    this.started.at(-1)?.finish();
    await new Promise(setImmediate);
  }
}

const forever = () => new Deadline(Number.POSITIVE_INFINITY);

describe('a fair queue', () => {
  test('runs a job at once if a slot is free, and returns its result', async () => {
    const recorder = new Recorder({ slots: 2, maxRunning: 2 });
    const results = [recorder.run('a', { account: 1 }), recorder.run('b', { account: 1 })];
    expect(recorder.names).toEqual(['a', 'b']);
    for (const { finish } of recorder.started) finish();
    expect(await Promise.all(results)).toEqual(['a', 'b']);
  });

  test('lets accounts take turns, whatever the number of their jobs', async () => {
    const recorder = new Recorder();
    for (let n = 0; n < 5; n += 1) void recorder.run(`bully ${n}`, { account: 1, cost: 100 });
    void recorder.run('other', { account: 2, cost: 100 });
    await recorder.finish();
    expect(recorder.names).toEqual(['bully 0', 'other']);
    for (let n = 0; n < 5; n += 1) await recorder.finish();
    expect(recorder.names).toEqual(['bully 0', 'other', 'bully 1', 'bully 2', 'bully 3', 'bully 4']);
  });

  test('gives the next slot to the account that has used the least time', async () => {
    const recorder = new Recorder();
    void recorder.run('long', { account: 1 });
    for (const name of ['long 2', 'long 3']) void recorder.run(name, { account: 1 });
    for (const name of ['short 1', 'short 2', 'short 3']) void recorder.run(name, { account: 2 });
    recorder.clock.elapse(50);
    await recorder.finish();
    for (let n = 0; n < 3; n += 1) await recorder.finish();
    expect(recorder.names).toEqual(['long', 'short 1', 'short 2', 'short 3', 'long 2']);
  });

  test('an account that was idle has saved nothing up', async () => {
    const recorder = new Recorder();
    for (let n = 0; n < 20; n += 1) {
      void recorder.run(`early ${n}`, { account: 1 });
      await recorder.finish();
    }
    void recorder.run('running', { account: 1 });
    for (const name of ['a', 'b']) void recorder.run(`old ${name}`, { account: 1 });
    for (const name of ['a', 'b']) void recorder.run(`new ${name}`, { account: 2 });
    for (let n = 0; n < 5; n += 1) await recorder.finish();
    const last = recorder.names.slice(-4);
    expect(last.filter((name) => name.startsWith('new')).length).toBe(2);
    expect(last.slice(0, 2)).toContainEqual(expect.stringMatching(/^new/));
  });

  test('runs no more jobs of an account than allowed, even if slots are free', async () => {
    const recorder = new Recorder({ slots: 4, maxRunning: 2 });
    for (let n = 0; n < 4; n += 1) void recorder.run(`a${n}`, { account: 1 });
    void recorder.run('b', { account: 2 });
    expect(recorder.names).toEqual(['a0', 'a1', 'b']);
    await recorder.finish();
    expect(recorder.names).toEqual(['a0', 'a1', 'b']);
    recorder.started[0]?.finish();
    await new Promise(setImmediate);
    expect(recorder.names).toEqual(['a0', 'a1', 'b', 'a2']);
  });

  test('refuses a job if the queue of its account is full, and no other', async () => {
    const recorder = new Recorder({ maxQueued: 2 });
    for (let n = 0; n < 3; n += 1) void recorder.run(`a${n}`, { account: 1 });
    const refused = recorder.run('a3', { account: 1 });
    await expect(refused).rejects.toBeInstanceOf(Overloaded);
    await expect(refused).rejects.toMatchObject({ retryAfter: 1 });
    void recorder.run('b', { account: 2 });
    await recorder.finish();
    expect(recorder.names).toEqual(['a0', 'b']);
    await recorder.finish();
    void recorder.run('a4', { account: 1 });
    for (let n = 0; n < 3; n += 1) await recorder.finish();
    expect(recorder.names).toEqual(['a0', 'b', 'a1', 'a2', 'a4']);
  });

  test('refuses a job that would not be done by its deadline', async () => {
    const recorder = new Recorder();
    for (let n = 0; n < 3; n += 1) void recorder.run(`a${n}`, { account: 1, cost: 10_000 });
    const refused = recorder.run('late', { account: 1, cost: 1, deadline: new Deadline(20_000, recorder.clock) });
    await expect(refused).rejects.toBeInstanceOf(Overloaded);
    await expect(refused).rejects.toMatchObject({ retryAfter: 30 });
    // Another account does not wait for it.
    const deadline = new Deadline(20_000, recorder.clock);
    void recorder.run('b', { account: 2, cost: 1, deadline });
    await recorder.finish();
    expect(recorder.names).toEqual(['a0', 'b']);
    deadline.end();
  });

  test('refuses none because the jobs of another account took much longer than estimated', async () => {
    const recorder = new Recorder();
    for (let n = 0; n < 10; n += 1) {
      void recorder.run(`odd ${n}`, { account: 1, cost: 0.000_001 });
      await recorder.finish();
    }
    for (let n = 0; n < 10; n += 1) {
      const deadline = new Deadline(30_000, recorder.clock);
      void recorder.run(`b${n}`, { account: 2, cost: 10, deadline });
    }
    for (let n = 0; n < 10; n += 1) await recorder.finish();
    expect(recorder.names.slice(-10)).toEqual(Array.from({ length: 10 }, (_, n) => `b${n}`));
  });

  test('removes a job that is cancelled while it waits', async () => {
    const recorder = new Recorder();
    const deadline = forever();
    void recorder.run('a', { account: 1 });
    const cancelled = recorder.run('b', { account: 1, deadline });
    void recorder.run('c', { account: 1 });
    deadline.cancel('disconnected');
    await expect(cancelled).rejects.toMatchObject({ name: 'Cancelled', reason: 'disconnected' });
    await recorder.finish();
    expect(recorder.names).toEqual(['a', 'c']);
  });

  test('a running job that is cancelled is no longer waited for, but keeps its slot until it ends', async () => {
    const recorder = new Recorder();
    const deadline = forever();
    const cancelled = recorder.run('a', { account: 1, deadline });
    void recorder.run('b', { account: 1 });
    deadline.cancel('deadline');
    await expect(cancelled).rejects.toMatchObject({ name: 'Cancelled', reason: 'deadline' });
    expect(recorder.names).toEqual(['a']);
    await recorder.finish();
    expect(recorder.names).toEqual(['a', 'b']);
  });

  test('does not run a job that was cancelled before', async () => {
    const recorder = new Recorder();
    const deadline = forever();
    deadline.cancel('disconnected');
    await expect(recorder.run('a', { account: 1, deadline })).rejects.toMatchObject({ name: 'Cancelled' });
    expect(recorder.names).toEqual([]);
  });

  test('goes on after a job that fails', async () => {
    const recorder = new Recorder();
    const failed = recorder.queue.run({ account: 1, cost: 1, deadline: forever() }, () =>
      Promise.reject(new Error('no')),
    );
    void recorder.run('next', { account: 1 });
    await expect(failed).rejects.toThrow('no');
    expect(recorder.names).toEqual(['next']);
  });
});
