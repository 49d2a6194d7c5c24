/** A store on top of an engine: the same statements for every engine. */

import type { Store } from '../store.ts';
import { SqlAccounts } from './accounts.ts';
import type { Engine } from './engine.ts';
import { SqlKeys } from './keys.ts';
import { SqlRecords } from './records.ts';
import { Stamps } from './stamps.ts';

export function sqlStore(engine: Engine): Store {
  const stamps = new Stamps(engine);
  const records = new SqlRecords(engine);
  return {
    isRemote: engine.isRemote,
    stamp: (account) => stamps.get(account),
    records,
    accounts: new SqlAccounts(engine),
    keys: new SqlKeys(engine),
    check: () => engine.check(),
    async close() {
      await records.close();
      await engine.close();
    },
  };
}
