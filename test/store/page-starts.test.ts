import { expect, test } from 'vitest';
import { PageStarts } from '../../src/store/sql/page-starts.ts';

const place = (offset: number) => ({ offset, id: offset * 2 });

test('the nearest place before an offset is found, at its revision alone', () => {
  const starts = new PageStarts();
  for (const offset of [3_000, 1_000, 2_000]) starts.learn('list', 7, place(offset), 500);
  const before = (offset: number, revision = 7) => starts.before('list', revision, offset).start?.offset;
  expect([999, 1_000, 1_999, 2_500, 9_999].map((offset) => before(offset))).toEqual([
    undefined,
    1_000,
    1_000,
    2_000,
    3_000,
  ]);
  expect(before(2_500, 8)).toBeUndefined();
  starts.learn('list', 8, place(500), 500);
  expect([before(600, 8), before(9_999, 8), before(9_999, 7)]).toEqual([500, 500, undefined]);
});

test('a walk in small steps leaves room for what is further on', () => {
  const starts = new PageStarts();
  for (let offset = 10; offset <= 100_000; offset += 10) starts.learn('list', 1, place(offset), 500);
  starts.learn('list', 1, place(900_000), 500);
  expect(starts.before('list', 1, 899_999).start?.offset).toBe(100_000);
  expect(starts.before('list', 1, 900_010).start?.offset).toBe(900_000);
});

test('once all places are known, a page behind the last is not looked for again', () => {
  const starts = new PageStarts();
  expect(starts.before('list', 1, 5_000)).toEqual({ start: undefined, isNearest: false });
  starts.learnAll('list', 1, [place(500), place(1_000)]);
  expect(starts.before('list', 1, 999_999)).toEqual({ start: place(1_000), isNearest: true });
  expect(starts.before('list', 2, 999_999)).toEqual({ start: undefined, isNearest: false });
});
