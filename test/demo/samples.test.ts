/** The sample records. */

import { expect, test } from 'vitest';
import { partners } from '../../src/demo/samples.ts';

test('the e-mail addresses of partners are names with dots between words', () => {
  const addresses = [...partners()].flatMap(({ email }) => email ?? []);
  expect(addresses.filter((address) => !/^[a-z]+(?:\.[a-z]+)*@example\.com$/.test(String(address)))).toEqual([]);
  expect(addresses).toContain('tanaka.sons@example.com');
});
