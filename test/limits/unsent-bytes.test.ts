/** Limits on the bytes of responses that clients have not read. */

import { describe, expect, test } from 'vitest';
import { type HeldBytes, UnsentBytes } from '../../src/limits/unsent-bytes.ts';
import { oneEngine } from '../support/engines.ts';
import { checkRow, PRODUCTS } from '../support/rows.ts';
import { bearer } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

const MIB = 1024 * 1024;

function hold(unsent: UnsentBytes, account: number, bytes: number): HeldBytes {
  const held = unsent.hold(account);
  held.add(bytes);
  return held;
}

describe('the share of an account', () => {
  test('is 32 MiB', () => {
    const unsent = new UnsentBytes();
    hold(unsent, 1, 32 * MIB);
    expect(unsent.check(1)).toBeUndefined();
    const held = hold(unsent, 1, 1);
    expect(unsent.check(1)).toMatchObject({ code: 'responses_unread' });
    expect(unsent.check(2)).toBeUndefined();
    held.close();
    expect(unsent.check(1)).toBeUndefined();
    expect(unsent.check(1, 1)).toBeDefined();
  });

  test('is an equal part of 256 MiB if more than eight accounts have unread responses', () => {
    const unsent = new UnsentBytes();
    for (let account = 1; account <= 16; account += 1) hold(unsent, account, 16 * MIB);
    expect(unsent.check(1)).toBeUndefined();
    const held = hold(unsent, 17, 1);
    expect(unsent.check(1)).toBeDefined();
    // An account that has few of them is served.
    expect(unsent.check(17, MIB)).toBeUndefined();
    expect(unsent.check(18, 100 * MIB)).toBeUndefined();
    held.close();
    expect(unsent.check(1)).toBeUndefined();
  });
});

test('a chunk that arrives after its client has left is not counted', () => {
  const unsent = new UnsentBytes();
  const held = hold(unsent, 1, 1);
  held.close();
  held.add(MIB);
  held.close();
  expect(unsent.total).toBe(0);
});

describe.each(oneEngine)('on $name', (engine) => {
  const service = sharedService(engine);

  test('requests of an account that exceeds its share are a 429, and those of others are served', async () => {
    const held = hold(service.unsent, service.acme.id, 32 * MIB + 1);
    const isRefused = { status: 429, has: { code: 'responses_unread' }, headers: { 'retry-after': '5' } };
    const globex = bearer(await service.issue(service.globex));
    await checkRow(service, { request: { path: PRODUCTS }, ...isRefused });
    await checkRow(service, { request: { path: `${PRODUCTS}/1` }, ...isRefused });
    await checkRow(service, { request: { path: PRODUCTS, headers: globex }, status: 200 });
    await checkRow(service, { request: { path: PRODUCTS, headers: { authorization: undefined } }, status: 401 });
    held.close();
    await checkRow(service, { request: { path: PRODUCTS }, status: 200 });
  });
});
