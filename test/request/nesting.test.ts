/** How deep JSON may be nested. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isNestedDeeper } from '../../src/request/nesting.ts';

const depthOf = (text: string): number => {
  let depth = 0;
  while (isNestedDeeper(Buffer.from(text), depth)) depth += 1;
  return depth;
};

test.each([
  ['', 0],
  ['1', 0],
  ['"[[{{"', 0],
  ['[]', 1],
  ['{"a":[{"b":"[["}]}', 3],
  ['[[],[],[[]]]', 3],
  ['["\\"[[[",[]]', 2],
  ['["\\\\",[]]', 2],
  ['"\\', 0],
  [']]][', 0],
])('%s → %i', (text, depth) => {
  expect(depthOf(text)).toBe(depth);
});

test('it is the depth of the value', () => {
  const depth = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0;
  fc.assert(fc.property(fc.jsonValue(), (value) => depthOf(JSON.stringify(value)) === depth(value)));
});
