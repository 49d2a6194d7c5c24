/** A mirror comes back when the other side has asked for it, however often it has tried before. */

import { expect, test } from 'vitest';
import { StockbookError } from '../../src/client/index.ts';
import { Account } from '../../src/connectors/mirror/account.ts';
import { runForever } from '../../src/connectors/mirror/run-forever.ts';
import { OdooError } from '../../src/connectors/odoo/odoo-error.ts';
import { TestClock } from '../support/test-clock.ts';

/** The pauses before the second and the third round, in milliseconds, if every round fails. */
async function pausesAfter(error: Error): Promise<readonly number[]> {
  const clock = new TestClock();
  const stopped = new AbortController();
  const { signal } = stopped;
  const times: number[] = [];
  const round = async () => {
    times.push(clock.monotonic());
    if (times.length === 3) stopped.abort();
    throw error;
  };
  await clock.through(
    runForever(round, {
      account: new Account({ url: 'http://localhost', key: '' }, signal, clock),
      failing: () => [],
      isTemporary: () => true,
      log: { event: () => {}, warning: () => {} },
      signal,
      clock,
    }),
  );
  return times.slice(1).map((time, index) => time - (times[index] ?? 0));
}

test('pauses grow', async () => {
  expect(await pausesAfter(new OdooError('unavailable', 'away'))).toEqual([1_000, 2_000]);
});

test.for([
  ['Odoo', new OdooError('unavailable', 'busy', { retryAfter: 40_000 })],
  ['Stockbook', new StockbookError('store_unreachable', { status: 503, detail: 'away', retryAfter: 40_000 })],
] as const)('%s says when to come back', async ([, error]) => {
  expect(await pausesAfter(error)).toEqual([40_000, 40_000]);
});

test('nobody makes a mirror wait for longer than a minute', async () => {
  expect(await pausesAfter(new OdooError('unavailable', 'busy', { retryAfter: 86_400_000 }))).toEqual([60_000, 60_000]);
});
