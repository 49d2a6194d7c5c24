/** Fast reads share a turn, but not for long, and no account keeps others waiting. */

import { expect, test } from 'vitest';
import { FastReads } from '../../../src/store/sqlite/fast-reads.ts';

const statement = (text: string) => ({ text, parameters: [] });

/** Reads that take this many milliseconds each, and the order in which they ran, turn by turn. */
function recorded(duration: number) {
  const turns: string[][] = [];
  let now = 0;
  const reads = new FastReads({
    read({ text }) {
      turns.at(-1)?.push(text);
      now += duration;
      if (text === 'fails') throw new Error('it fails');
      return [{ text }];
    },
    now: () => now,
    maxDelay: 0,
    inSnapshot(body) {
      turns.push([]);
      body();
      if (turns.at(-1)?.includes('lost')) throw new Error('the file is gone');
    },
  });
  return { reads, turns };
}

test('reads of one turn share a snapshot', async () => {
  const { reads, turns } = recorded(0);
  expect(await Promise.all([reads.add(1, statement('a')), reads.add(1, statement('b'))])).toEqual([
    [{ text: 'a' }],
    [{ text: 'b' }],
  ]);
  expect(turns).toEqual([['a', 'b']]);
});

test('many slow ones of one account are read one per turn, and another account comes in between', async () => {
  const { reads, turns } = recorded(4);
  const many = Array.from({ length: 20 }, (_, n) => reads.add(1, statement(`many ${n}`)));
  await reads.add(2, statement('one'));
  expect(turns.flat()).toEqual(['many 0', 'one']);
  await Promise.all(many);
  expect(turns.every((turn) => turn.length === 1)).toBe(true);
});

test('one that fails does not affect the others', async () => {
  const { reads } = recorded(0);
  const [failed, read] = await Promise.allSettled([reads.add(1, statement('fails')), reads.add(1, statement('a'))]);
  expect([failed.status, read.status]).toEqual(['rejected', 'fulfilled']);
});

test('none counts if the snapshot turns out to be invalid', async () => {
  const { reads } = recorded(0);
  const settled = await Promise.allSettled(['a', 'lost'].map((text) => reads.add(1, statement(text))));
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await reads.add(1, statement('next'))).toEqual([{ text: 'next' }]);
});

test('closing waits for all of them', async () => {
  const { reads, turns } = recorded(4);
  void reads.add(1, statement('a'));
  void reads.add(1, statement('b'));
  await reads.close();
  expect(turns.flat()).toEqual(['a', 'b']);
});
