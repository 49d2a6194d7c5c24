/** What the audit trail says about the settings of a service. */

import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordSettings } from '../../src/cli/record-settings.ts';
import type { ServiceEvent } from '../../src/observe/events.ts';
import { type Flags, rawSetting } from '../../src/settings/read.ts';
import type { Store } from '../../src/store/store.ts';
import { refuseEntries } from '../support/audit.ts';
import { engines, openTestStore, type TestDatabase } from '../support/engines.ts';

describe.each(engines)('on $name', (engine) => {
  let store: Store;
  let database: TestDatabase;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ store, database, close } = await openTestStore(engine));
  });
  afterAll(() => close());

  const recorded = async () => {
    const found: unknown[] = [];
    for await (const entries of store.audit.entries({ action: 'settings changed' }))
      found.push(...entries.map(({ details }) => JSON.parse(details)));
    return found;
  };
  /** The entries that a start leaves, and what it logs. */
  const start = async (flags: Flags) => {
    const before = await recorded();
    const events: ServiceEvent[] = [];
    const settings = { raw: (name: keyof Flags) => rawSetting(name, flags, {}) };
    await recordSettings(settings, store.audit, (event) => events.push(event));
    return { entries: (await recorded()).slice(before.length), events: events.map(({ kind }) => kind) };
  };
  const changed = (changes: object) => ({ entries: [{ host: hostname(), changes }], events: [] });
  const unchanged = { entries: [], events: [] };

  test('a start leaves an entry if settings differ from the last start of this host, or from the defaults', async () => {
    await store.audit.append({
      action: 'settings changed',
      account: null,
      details: { host: 'another', changes: { port: { from: '8080', to: '9999' } } },
    });
    expect(await start({})).toEqual(unchanged);
    expect(await start({ port: '9000', domain: 'example.com' })).toEqual(
      changed({ port: { from: '8080', to: '9000' }, domain: { from: 'localhost', to: 'example.com' } }),
    );
    expect(await start({ port: '9000', domain: 'example.com' })).toEqual(unchanged);
    expect(await start({ domain: 'example.org' })).toEqual(
      changed({ port: { from: '9000', to: '8080' }, domain: { from: 'example.com', to: 'example.org' } }),
    );
    expect(await start({ domain: 'example.org', port: '8080' })).toEqual(unchanged);
  });

  test('has no passwords', async () => {
    const { entries } = await start({ domain: 'example.org', database: 'postgres://alice:s3cret@db1/stock' });
    expect(JSON.stringify(entries)).toContain('alice');
    expect(JSON.stringify(entries)).not.toContain('s3cret');
  });

  test('a start does not fail if nothing can be written, and the next one records the change', async () => {
    const release = await refuseEntries(database, engine.name);
    expect(await start({ domain: 'example.net' })).toEqual({ entries: [], events: ['settings not recorded'] });
    await release();
    expect((await start({ domain: 'example.net' })).entries).toHaveLength(1);
  });
});
