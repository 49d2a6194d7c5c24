/** Which responses are cached, and the memory they take. */

import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import { Doorkeeper } from '../../src/reply/doorkeeper.ts';
import { responseCache } from '../../src/reply/response-cache.ts';
import { CacheBudget } from '../../src/store/state/cache.ts';

describe('cached responses', () => {
  const at = (generation: number, revision: number) => ({ generation, revision, rows: 0 });

  test('keep a large response in the form in which it is sent', () => {
    const cache = responseCache(new CacheBudget(1_000_000));
    const responses = cache.at(1, product, at(7, 1));
    for (const length of [16 * 1024 - 1, 16 * 1024]) {
      const response = { status: 200, headers: {}, body: 'é'.repeat(length) };
      for (let n = 0; n < 2; n += 1) responses.keepResponse(`?${length}`, response);
    }
    expect(responses.response(`?${16 * 1024 - 1}`)?.body).toBe('é'.repeat(16 * 1024 - 1));
    expect(responses.response(`?${16 * 1024}`)?.body).toEqual([Buffer.from('é'.repeat(16 * 1024))]);
  });

  test('keep a response from the second request on, also if the version changed in between', () => {
    const cache = responseCache(new CacheBudget(1_000_000));
    const response = { status: 200, headers: {}, body: '{}' };
    const first = cache.at(1, product, at(7, 1));
    first.keepResponse('?a', response);
    expect(first.response('?a')).toBeUndefined();
    const second = cache.at(1, product, at(7, 2));
    second.keepResponse('?a', response);
    expect(second.response('?a')).toMatchObject(response);
    expect(second.response('?a')).toBe(second.response('?a'));
    // The same request of another account or resource is another one.
    for (const other of [cache.at(2, product, at(7, 1)), cache.at(1, partner, at(7, 1))]) {
      other.keepResponse('?a', response);
      expect(other.response('?a')).toBeUndefined();
    }
  });

  test('charge the compressed forms of a response as well', async () => {
    const budget = new CacheBudget(1_000_000);
    const responses = responseCache(budget).at(1, product, at(7, 1));
    const body = Array.from({ length: 2_000 }, (_, n) => `{"id":${n}}`).join(',');
    for (let n = 0; n < 2; n += 1) responses.keepResponse('?a', { status: 200, headers: {}, body });
    const plain = budget.bytes;
    await expect.poll(() => responses.response('?a')?.compressed?.in('gzip')).toBeDefined();
    expect(budget.bytes).toBe(plain + (responses.response('?a')?.compressed?.in('gzip')?.byteLength ?? 0));
    responses.drop();
    expect(budget.bytes).toBe(0);
  });
});

describe('the doorkeeper', () => {
  test('admits a key from the second time on', () => {
    const doorkeeper = new Doorkeeper();
    expect(['a', 'b', 'a', 'b', 'a', 'c'].map((key) => doorkeeper.admits(key))).toEqual([
      false,
      false,
      true,
      true,
      true,
      false,
    ]);
  });

  test('forgets a key when another one takes its slot', () => {
    const slotOf = (key: string) => crc32(key) % 65_536;
    let n = 0;
    do n += 1;
    while (slotOf(`key ${n}`) !== slotOf('first'));
    const other = `key ${n}`;
    const doorkeeper = new Doorkeeper();
    expect([doorkeeper.admits('first'), doorkeeper.admits('first')]).toEqual([false, true]);
    expect([doorkeeper.admits(other), doorkeeper.admits(other)]).toEqual([false, true]);
    expect([doorkeeper.admits('first'), doorkeeper.admits('first')]).toEqual([false, true]);
  });

  test('remembers most of ten thousand keys', () => {
    const doorkeeper = new Doorkeeper();
    const keys = Array.from({ length: 10_000 }, (_, n) => `key ${n}`);
    expect(keys.filter((key) => doorkeeper.admits(key))).toEqual([]);
    expect(keys.filter((key) => doorkeeper.admits(key)).length).toBeGreaterThan(7_000);
  });
});
