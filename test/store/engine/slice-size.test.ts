/** How much is done in one transaction. */

import { expect, test } from 'vitest';
import { SliceSize } from '../../../src/store/engine/slice-size.ts';

test('a slice grows while it is short, and shrinks when it was long, within its bounds', () => {
  const slice = new SliceSize({ first: 100, min: 80, max: 1_000 });
  const sizeAfter = (milliseconds: number) => {
    slice.took(milliseconds);
    return slice.size;
  };
  expect([0, 50, 100, 80, 10, 200, 125, 10_000, 10_000, 10_000].map(sizeAfter)).toEqual([
    200, 400, 400, 500, 1_000, 500, 400, 200, 100, 80,
  ]);
});
