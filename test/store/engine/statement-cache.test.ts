import { expect, test } from 'vitest';
import { StatementCache } from '../../../src/store/engine/statement-cache.ts';

const MAX = 200;

function record() {
  const dropped: string[] = [];
  let count = 0;
  const prepare = (text: string) => {
    count += 1;
    return `${text} (${count})`;
  };
  return { dropped, cache: new StatementCache({ max: MAX, prepare, drop: (name) => dropped.push(name) }) };
}

test('a text is prepared once, and the least recently used statement is dropped to make room', () => {
  const { dropped, cache } = record();
  const first = cache.get('0', 'all');
  expect(cache.get('0', 'all')).toBe(first);
  const second = cache.get('1', 'all');
  for (let n = 2; n < MAX; n += 1) cache.get(String(n), 'all');
  expect(dropped).toEqual([]);
  expect(cache.get('0', 'all')).toBe(first);
  cache.get('one more', 'all');
  expect(dropped).toEqual([second]);
  expect(cache.get('1', 'all')).not.toBe(second);
});

test('an account with many statements does not displace those of another, or those that both use', () => {
  const { dropped, cache } = record();
  const own = ['a', 'b', 'c'].map((text) => cache.get(text, 1));
  const shared = cache.get('shared', 2);
  cache.get('shared', 1);
  for (let n = 0; n < 1_000; n += 1) cache.get(String(n), 2);
  expect(dropped).toHaveLength(1_000 + 4 - MAX);
  expect(['a', 'b', 'c'].map((text) => cache.get(text, 1))).toEqual(own);
  expect(cache.get('shared', 3)).toBe(shared);
});
