/** Which ids of callers are taken over. */

import { expect, test } from 'vitest';
import { generateKey, printKey } from '../../src/access/key.ts';
import { requestId } from '../../src/request/request-id.ts';

test.each([
  'r-1',
  'a'.repeat(128),
  '0b8a3c5e-8f5d-4b1e-9c39-5a6f3f0f2d11',
  '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  'Root=1-67891233-abcdef012345678912345678',
  'host/abcdefghijkl_0001',
])('%s is taken over', (id) => {
  expect(requestId(id)).toBe(id);
});

const key = printKey(generateKey());

test.each([
  ['nothing', ''],
  ['too much', 'a'.repeat(129)],
  ['a line break', 'a\nb'],
  ['a key', key],
  ['a key in capitals', key.toUpperCase()],
  ['a key without its prefix', key.slice('sbk_'.length)],
  ['a key without its prefix and its checksum', key.slice('sbk_'.length, -6)],
  ['a key without its prefix in another word', `request-${key.slice('sbk_'.length)}-1`],
])('%s is replaced', (_, id) => {
  expect(requestId(id)).toMatch(/^[0-9a-f-]{36}$/);
});
