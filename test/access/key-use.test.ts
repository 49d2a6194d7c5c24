/** When keys were last used. */

import { describe, expect, test } from 'vitest';
import { KeyUse } from '../../src/access/key-use.ts';
import type { ServiceEvent } from '../../src/observe/events.ts';
import { engines } from '../support/engines.ts';
import { newKey } from '../support/fixture.ts';
import { sharedStore } from '../support/shared.ts';
import { TestClock } from '../support/test-clock.ts';

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);

  test('what cannot be stored is an event, and stored the next time', async () => {
    const { keys } = opened.store;
    const owner = await opened.account();
    const [used, unused] = [newKey('usedusedused', owner), newKey('unusedunused', owner)];
    for (const key of [used, unused]) await keys.add(key);
    const lastUses = async () => (await keys.list(owner.id)).map(({ id, lastUsedAt }) => [id, lastUsedAt]);
    const events: ServiceEvent[] = [];
    const keyUse = new KeyUse(keys, (event) => void events.push(event), new TestClock());
    keyUse.record(used.id);
    await opened.database.execute('ALTER TABLE api_key RENAME TO misplaced');
    await keyUse.close();
    expect(events).toEqual([{ kind: 'key use not stored', error: expect.any(Error) }]);
    await opened.database.execute('ALTER TABLE misplaced RENAME TO api_key');
    expect(await lastUses()).toEqual([
      [unused.id, null],
      [used.id, null],
    ]);
    await keyUse.close();
    expect(await lastUses()).toEqual([
      [unused.id, null],
      [used.id, expect.stringMatching(/^\d{4}-/)],
    ]);
    expect(events).toHaveLength(1);
  });
});
