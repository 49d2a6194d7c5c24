/** How deep JSON may be nested, and how many values it may have. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exceededLimit } from '../../src/request/json-structure.ts';

const depthOf = (text: string): number => {
  let depth = 0;
  while (exceededLimit(Buffer.from(text), { depth, commas: Number.POSITIVE_INFINITY })) depth += 1;
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
])('%s is nested %i levels deep', (text, depth) => {
  expect(depthOf(text)).toBe(depth);
});

test('it is the depth of the value', () => {
  const depth = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depth)) : 0;
  fc.assert(fc.property(fc.jsonValue(), (value) => depthOf(JSON.stringify(value)) === depth(value)));
});

test('commas are counted outside of strings', () => {
  const within = (text: string, commas: number) => exceededLimit(Buffer.from(text), { depth: 10, commas });
  expect(within('{"a,,":[1,"\\",,",2],"b":0}', 3)).toBeUndefined();
  expect(within('{"a,,":[1,"\\",,",2],"b":0}', 2)).toBe('commas');
});
