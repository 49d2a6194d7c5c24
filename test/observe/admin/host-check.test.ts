/** Which hosts the admin address accepts. */

import { expect, test } from 'vitest';
import { isAllowedHost } from '../../../src/observe/admin/host-check.ts';

test('the host is an address, localhost, or the one that was configured', () => {
  const allowed = ['127.0.0.1', '10.0.0.7:8081', 'localhost', 'LOCALHOST:1', '[::1]', 'stockbook.internal:8081'];
  const refused = [
    '',
    'evil.example',
    'evil.example:8081',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '[::1',
    'a b',
  ];
  for (const host of allowed) expect(isAllowedHost(host, 'Stockbook.internal'), host).toBe(true);
  for (const host of refused) expect(isAllowedHost(host, 'Stockbook.internal'), host).toBe(false);
  expect(isAllowedHost(undefined, '127.0.0.1')).toBe(true);
});
