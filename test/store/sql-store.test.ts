/** Closing a store. */

import { describe, test } from 'vitest';
import { engines, openTestStore } from '../support/engines.ts';
import { addAccount } from '../support/fixture.ts';

describe.each(engines)('on $name', (engine) => {
  test('a store that is closed twice, at the same time or later, is closed once', async () => {
    const { store, close } = await openTestStore(engine);
    await addAccount(store, 'acme');
    await Promise.all([store.close(), store.close()]);
    await close();
  });
});
