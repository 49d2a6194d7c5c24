import { expect, test } from 'vitest';
import { Anchors } from '../../../src/store/state/anchors.ts';

const anchor = (offset: number) => ({ offset, id: offset * 2 });

test('the last anchor at or before an offset is found', () => {
  const anchors = new Anchors();
  for (const offset of [3_000, 1_000, 2_000]) anchors.add(anchor(offset));
  const before = (offset: number) => anchors.before(offset)?.offset;
  expect([999, 1_000, 1_999, 2_500, 9_999].map(before)).toEqual([undefined, 1_000, 1_000, 2_000, 3_000]);
});

test('the last 16 are kept, whichever page is read again', () => {
  const anchors = new Anchors();
  for (let n = 1; n <= 16; n += 1) anchors.add(anchor(n * 1_000));
  anchors.add(anchor(1_000));
  expect(anchors.before(2_000)).toEqual(anchor(2_000));
  anchors.add(anchor(17_000));
  expect(anchors.before(2_000)).toEqual(anchor(1_000));
  expect(anchors.before(99_000)).toEqual(anchor(17_000));
});
