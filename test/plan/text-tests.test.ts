/** What has to hold of a text that contains another one. */

import { expect, test } from 'vitest';
import { textTests } from '../../src/plan/text-tests.ts';

test('to begin with it, or to equal it', () => {
  const results = ['oak', 'oak chair', 'an oak'].map((held) => [
    textTests['*'],
    textTests.begins?.(held, 'oak'),
    textTests.equals?.(held, 'oak'),
  ]);
  expect(results).toEqual([
    [undefined, true, true],
    [undefined, true, false],
    [undefined, false, false],
  ]);
});
