/** Fast reads share an iteration of the event loop, but not for long, and no account keeps others waiting. */

import { expect, test } from 'vitest';
import { FastReads } from '../../../src/store/sqlite/fast-reads.ts';
import { TestClock } from '../../support/test-clock.ts';

const statement = (text: string) => ({ text, parameters: [] });

/** Reads that take this many milliseconds each, and the order in which they ran, by iteration. */
function recorded(duration: number) {
  const iterations: string[][] = [];
  const clock = new TestClock();
  const reads = new FastReads({
    read({ text }) {
      iterations.at(-1)?.push(text);
      clock.elapse(duration);
      if (text === 'fails') throw new Error('it fails');
      return [{ text }];
    },
    clock,
    maxDelay: 0,
    inSnapshot(body) {
      iterations.push([]);
      body();
      if (iterations.at(-1)?.includes('lost')) throw new Error('the file is gone');
    },
  });
  return { reads, iterations };
}

test('reads of one iteration share a snapshot', async () => {
  const { reads, iterations } = recorded(0);
  expect(await Promise.all([reads.add(1, statement('a')), reads.add(1, statement('b'))])).toEqual([
    [{ text: 'a' }],
    [{ text: 'b' }],
  ]);
  expect(iterations).toEqual([['a', 'b']]);
});

test('many slow ones of one account are read one per iteration, and another account comes in between', async () => {
  const { reads, iterations } = recorded(4);
  const many = Array.from({ length: 20 }, (_, n) => reads.add(1, statement(`many ${n}`)));
  await reads.add(2, statement('one'));
  expect(iterations.flat()).toEqual(['many 0', 'one']);
  await Promise.all(many);
  expect(iterations.filter((texts) => texts.length !== 1)).toEqual([]);
});

test('one that fails does not affect the others', async () => {
  const { reads } = recorded(0);
  const [failed, read] = await Promise.allSettled([reads.add(1, statement('fails')), reads.add(1, statement('a'))]);
  expect([failed.status, read.status]).toEqual(['rejected', 'fulfilled']);
});

test('none counts if the snapshot is invalid', async () => {
  const { reads } = recorded(0);
  const settled = await Promise.allSettled(['a', 'lost'].map((text) => reads.add(1, statement(text))));
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await reads.add(1, statement('next'))).toEqual([{ text: 'next' }]);
});

test('closing waits for all of them', async () => {
  const { reads, iterations } = recorded(4);
  void reads.add(1, statement('a'));
  void reads.add(1, statement('b'));
  await reads.close();
  expect(iterations.flat()).toEqual(['a', 'b']);
});
