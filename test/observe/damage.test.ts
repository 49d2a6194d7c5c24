/** Events about damaged ledgers. */

import { expect, test } from 'vitest';
import { Damage } from '../../src/observe/damage.ts';
import { DamagedLedger } from '../../src/store/store-error.ts';
import { TestClock } from '../support/test-clock.ts';

test('one for each account, and another one after a minute', () => {
  const clock = new TestClock();
  const began = clock.monotonic();
  const events: unknown[] = [];
  const damage = new Damage((event) => events.push(event), clock);
  const reported = (account: number, at: number) => {
    clock.elapse(at - (clock.monotonic() - began));
    damage.add(`account ${account}`, new DamagedLedger(account));
    return events.splice(0);
  };
  expect(reported(1, 0)).toEqual([{ kind: 'ledger damaged', account: 'account 1', error: new DamagedLedger(1) }]);
  expect(reported(1, 59_999)).toEqual([]);
  expect(reported(2, 59_999)).toHaveLength(1);
  expect(reported(1, 60_000)).toHaveLength(1);
  expect(reported(2, 60_000)).toEqual([]);
  expect(reported(1, 119_999)).toEqual([]);
});
