/** Which account the host of a request names. */

import { expect, test } from 'vitest';
import { accountInHost } from '../../src/access/host.ts';

test.each([
  ['acme.localhost', 'localhost', { kind: 'account', name: 'acme' }],
  ['ACME.localhost:8080', 'localhost', { kind: 'account', name: 'acme' }],
  ['acme.localhost.:8080', 'localhost', { kind: 'account', name: 'acme' }],
  ['a.b.localhost', 'localhost', { kind: 'account', name: 'a.b' }],
  ['localhost', 'localhost', { kind: 'any' }],
  ['127.0.0.1:8080', 'localhost', { kind: 'any' }],
  ['[::1]:8080', 'localhost', { kind: 'any' }],
  ['[::1]', 'localhost', { kind: 'any' }],
  [undefined, 'localhost', { kind: 'any' }],
  ['acme.stock.example.com', 'stock.example.com', { kind: 'account', name: 'acme' }],
  ['stock.example.com', 'stock.example.com', { kind: 'foreign' }],
  ['acme.localhost', 'stock.example.com', { kind: 'foreign' }],
  ['xstock.example.com', 'stock.example.com', { kind: 'foreign' }],
  [undefined, 'stock.example.com', { kind: 'foreign' }],
])('%s with the domain %s', (host, domain, claim) => {
  expect(accountInHost(host, domain)).toEqual(claim);
});
