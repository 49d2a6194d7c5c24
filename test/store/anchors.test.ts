import { expect, test } from 'vitest';
import { Anchors } from '../../src/store/state/anchors.ts';

const anchor = (offset: number) => ({ offset, id: offset * 2 });

test('the last anchor at or before an offset is found', () => {
  const anchors = new Anchors();
  for (const offset of [3_000, 1_000, 2_000]) anchors.add(anchor(offset), 500);
  const before = (offset: number) => anchors.before(offset)?.offset;
  expect([999, 1_000, 1_999, 2_500, 9_999].map(before)).toEqual([undefined, 1_000, 1_000, 2_000, 3_000]);
});

test('anchors keep their distance, even if a list is walked in small steps', () => {
  const anchors = new Anchors();
  for (let offset = 10; offset <= 100_000; offset += 10) anchors.add(anchor(offset), 500);
  anchors.add(anchor(900_000), 500);
  expect(anchors.bytes).toBe(201 * 48);
  expect(anchors.before(899_999)?.offset).toBe(100_000);
  expect(anchors.before(900_010)?.offset).toBe(900_000);
});

test('no anchor is added to a complete set', () => {
  const anchors = new Anchors([anchor(500), anchor(1_000)], true);
  expect(anchors.add(anchor(5_000), 500)).toBe(false);
  expect(anchors.before(999_999)).toEqual(anchor(1_000));
});
