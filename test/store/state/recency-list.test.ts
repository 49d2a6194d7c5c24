/** The order in which items were used. */

import { expect, test } from 'vitest';
import { type Linked, RecencyList } from '../../../src/store/state/recency-list.ts';

test('has the item that was not used for the longest time as its oldest', () => {
  const list = new RecencyList<Item>();
  expect(list.oldest).toBeUndefined();
  const [a, b, c] = [item('a'), item('b'), item('c')];
  for (const each of [a, b, c]) list.add(each);
  list.touch(a);
  list.touch(a);
  expect(drain(list)).toEqual(['b', 'c', 'a']);
  for (const each of [a, b, c]) list.add(each);
  list.remove(b);
  list.touch(c);
  expect(drain(list)).toEqual(['a', 'c']);
  expect(list.oldest).toBeUndefined();
});

interface Item extends Linked<Item> {
  readonly name: string;
}
const item = (name: string): Item => ({ name, older: undefined, newer: undefined });
const drain = (list: RecencyList<Item>): readonly string[] => {
  const { oldest } = list;
  if (oldest === undefined) return [];
  list.remove(oldest);
  return [oldest.name, ...drain(list)];
};
