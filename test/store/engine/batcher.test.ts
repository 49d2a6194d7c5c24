import { describe, expect, test } from 'vitest';
import { Batcher, type BatchOptions, type Outcome } from '../../../src/store/engine/batcher.ts';

/** Batches stay open until they are settled by hand. */
class Recorder {
  readonly batches: (readonly string[])[] = [];
  readonly #running: PromiseWithResolvers<readonly Outcome<string>[]>[] = [];

  run(batch: readonly string[]): Promise<readonly Outcome<string>[]> {
    const running = Promise.withResolvers<readonly Outcome<string>[]>();
    this.batches.push(batch);
    this.#running.push(running);
    return running.promise;
  }

  /** By default, every item succeeds. */
  finish(number: number, outcomes?: readonly Outcome<string>[]): void {
    const items = this.batches[number] ?? [];
    this.#running[number]?.resolve(outcomes ?? items.map((item) => ({ result: `${item} done` })));
  }

  fail(number: number, error: Error): void {
    this.#running[number]?.reject(error);
  }
}

function record(options: Omit<BatchOptions<string, string>, 'run'> = {}) {
  const recorder = new Recorder();
  return { recorder, batcher: new Batcher<string, string>({ ...options, run: (batch) => recorder.run(batch) }) };
}

/** After it, everything that could start has started. */
const iterated = async () => {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
};

describe('a batcher', () => {
  test('runs calls of one iteration of the event loop as one batch', async () => {
    const { recorder, batcher } = record();
    const calls = [batcher.add('a'), batcher.add('b')];
    await Promise.resolve();
    calls.push(batcher.add('c'));
    expect(recorder.batches).toEqual([]);
    await iterated();
    expect(recorder.batches).toEqual([['a', 'b', 'c']]);
    recorder.finish(0);
    expect(await Promise.all(calls)).toEqual(['a done', 'b done', 'c done']);
  });

  test('runs calls that arrive during a batch as the next one, one batch at a time', async () => {
    const { recorder, batcher } = record();
    const calls = [batcher.add('a')];
    await iterated();
    calls.push(batcher.add('b'));
    await iterated();
    calls.push(batcher.add('c'));
    await iterated();
    expect(recorder.batches).toEqual([['a']]);
    recorder.finish(0);
    await iterated();
    expect(recorder.batches).toEqual([['a'], ['b', 'c']]);
    recorder.finish(1);
    expect(await Promise.all(calls)).toEqual(['a done', 'b done', 'c done']);
  });

  test('starts a batch during another one if batches are independent', async () => {
    const { recorder, batcher } = record({ isIndependent: true });
    const first = batcher.add('a');
    await iterated();
    const second = batcher.add('b');
    await iterated();
    expect(recorder.batches).toEqual([['a'], ['b']]);
    recorder.finish(1);
    expect(await second).toBe('b done');
    recorder.finish(0);
    expect(await first).toBe('a done');
  });

  test('limits a batch to its size, which depends on what is waiting and on the batch before', async () => {
    const sizes: (readonly number[])[] = [];
    const { recorder, batcher } = record({
      size(waiting, previous) {
        sizes.push([waiting, previous]);
        return 2;
      },
    });
    const calls = ['a', 'b', 'c', 'd', 'e'].map((item) => batcher.add(item));
    for (const number of [0, 1, 2]) {
      await iterated();
      recorder.finish(number);
    }
    await Promise.all(calls);
    expect(recorder.batches).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(sizes).toEqual([
      [5, 0],
      [3, 2],
      [1, 2],
    ]);
  });

  test('reports each outcome to its own caller', async () => {
    const { recorder, batcher } = record();
    const calls = ['a', 'b', 'c'].map((item) => batcher.add(item));
    await iterated();
    recorder.finish(0, [{ result: 'A' }, { error: new Error('rejected') }]);
    const [first, second, third] = await Promise.allSettled(calls);
    expect(first).toEqual({ status: 'fulfilled', value: 'A' });
    expect(second).toEqual({ status: 'rejected', reason: new Error('rejected') });
    expect(third).toMatchObject({ status: 'rejected', reason: { message: 'the batch has no outcome for this item' } });
  });

  test('fails all calls of a batch that throws, and none of the next', async () => {
    const { recorder, batcher } = record();
    const failed = [batcher.add('a'), batcher.add('b')];
    await iterated();
    const next = batcher.add('c');
    recorder.fail(0, new Error('broken'));
    for (const call of failed) await expect(call).rejects.toThrow('broken');
    await iterated();
    recorder.finish(1);
    expect(await next).toBe('c done');
  });

  test.each(['an outcome', 'the batch'])(
    'fails waiting calls as well if the error of %s applies to them',
    async (of) => {
      const { recorder, batcher } = record({
        size: () => 1,
        isShared: (error) => error instanceof Error && error.message === 'shared',
      });
      const calls = ['a', 'b', 'c'].map((item) => batcher.add(item));
      await iterated();
      if (of === 'the batch') recorder.fail(0, new Error('shared'));
      else recorder.finish(0, [{ error: new Error('shared') }]);
      const outcomes = await Promise.allSettled(calls);
      expect(outcomes).toEqual(calls.map(() => ({ status: 'rejected', reason: new Error('shared') })));
      expect(recorder.batches).toEqual([['a']]);
      const later = batcher.add('d');
      await iterated();
      recorder.finish(1);
      expect(await later).toBe('d done');
    },
  );

  test('tells when nothing is left to run', async () => {
    let idle = 0;
    const { recorder, batcher } = record({ onIdle: () => (idle += 1) });
    const call = batcher.add('a');
    await iterated();
    expect(idle).toBe(0);
    recorder.finish(0);
    await call;
    await iterated();
    expect(idle).toBe(1);
  });

  test('does not run an item that was cancelled before its batch started', async () => {
    const { recorder, batcher } = record();
    const first = batcher.add('a');
    await iterated();
    const controller = new AbortController();
    const cancelled = batcher.add('b', controller.signal);
    const last = batcher.add('c');
    controller.abort(new Error('left'));
    await expect(cancelled).rejects.toThrow('left');
    recorder.finish(0);
    await first;
    await iterated();
    expect(recorder.batches[1]).toEqual(['c']);
    recorder.finish(1);
    expect(await last).toBe('c done');
  });

  test('closes once everything that was added has been run', async () => {
    const { recorder, batcher } = record({ size: () => 1 });
    const settled: unknown[] = [];
    for (const item of ['a', 'b']) void batcher.add(item).then((result) => settled.push(result));
    const closed = batcher.close().then(() => settled.push('closed'));
    await iterated();
    recorder.finish(0);
    await iterated();
    expect(settled).toEqual(['a done']);
    recorder.finish(1);
    await closed;
    expect(settled).toEqual(['a done', 'b done', 'closed']);
    // Without anything to run, it closes at once.
    await batcher.close();
  });
});
