/** Requests that are sent too often are found. */

import { expect, test } from 'vitest';
import type { Sent } from './network.ts';
import { checkPace } from './pace.ts';
import { MINUTE, SECOND } from './time.ts';

function sentAt(at: number, more: Partial<Sent> = {}): Sent {
  return { host: 'odoo', path: '/', instance: 1, at, fault: undefined, retryAfter: 0, ended: at, ...more };
}

test('a host that is away is not asked all the time', () => {
  const down = { fault: 'down' } as const;
  const each = (pause: number) => Array.from({ length: 60 }, (_, n) => sentAt(n * pause, down));
  expect(() => checkPace(each(30 * SECOND), 'odoo')).not.toThrow();
  expect(() => checkPace(each(SECOND), 'odoo')).toThrow('40 requests were sent to odoo in 40 s');
  // Later, pauses have to be longer.
  expect(() =>
    checkPace(
      Array.from({ length: 120 }, (_, n) => sentAt(n * 5 * SECOND, down)),
      'odoo',
    ),
  ).toThrow('10 requests');
});

test('a host says when to come back', () => {
  const busy = sentAt(0, { fault: 'error', retryAfter: 2 * MINUTE });
  expect(() => checkPace([busy, sentAt(30 * SECOND)], 'odoo')).toThrow(
    'after 30000 ms, although 60000 ms were asked for',
  );
  expect(() => checkPace([busy, sentAt(MINUTE)], 'odoo')).not.toThrow();
  // Another start does not know.
  expect(() => checkPace([busy, sentAt(SECOND, { instance: 2 })], 'odoo')).not.toThrow();
});
