/** An outage of the database is one event when it begins and one when it is over, however many requests fail. */

import { renameSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ServiceEvent } from '../../src/observe/events.ts';
import { Outage } from '../../src/observe/outage.ts';
import { StoreUnavailable, UnusableDatabase } from '../../src/store/store-error.ts';
import { engines, onPostgres, type TestDatabase } from '../support/engines.ts';
import { PRODUCTS } from '../support/rows.ts';
import { sharedService } from '../support/shared.ts';
import { TestClock } from '../support/test-clock.ts';

/** Makes the database unavailable, and returns a function that ends that. */
const outages = {
  async SQLite({ url }: TestDatabase) {
    renameSync(url, `${url}.aside`);
    return async () => renameSync(`${url}.aside`, url);
  },
  async PostgreSQL({ url }: TestDatabase) {
    const name = new URL(url).pathname.slice(1);
    const elsewhere = url.replace(`/${name}`, '/postgres');
    await onPostgres(elsewhere, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await onPostgres(elsewhere, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
    return () => onPostgres(elsewhere, `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  },
};

describe.each(engines)('on $name', (engine) => {
  const clock = new TestClock();
  const service = sharedService(engine, { clock });

  const ofKind = (kind: ServiceEvent['kind']) => service.events.filter((event) => event.kind === kind);

  test('it is noticed twice: when it begins, and, without any request, when it is over', async () => {
    const end = await outages[engine.name](service.database);
    await expect.poll(() => service.send({ path: PRODUCTS })).toRespond(503);
    for (let n = 0; n < 5; n += 1) expect(await service.send({ path: PRODUCTS })).toRespond(503);
    expect(ofKind('database unavailable')).toEqual([
      { kind: 'database unavailable', reason: 'unreachable', error: expect.any(Error) },
    ]);
    expect(ofKind('database available again')).toEqual([]);
    await clock.advance(10_000);
    expect(ofKind('database available again')).toEqual([]);
    await end();
    await expect
      .poll(async () => {
        await clock.advance(1_000);
        return ofKind('database available again');
      })
      .toHaveLength(1);
    const [over] = ofKind('database available again');
    if (over?.kind !== 'database available again') throw new Error('there is no event');
    expect(over.failedRequests).toBeGreaterThanOrEqual(6);
    expect(over.milliseconds).toBeGreaterThan(10_000);
    await expect.poll(() => service.send({ path: PRODUCTS })).toRespond(200);
    expect(ofKind('database unavailable')).toHaveLength(1);
    expect(ofKind('request failed')).toEqual([]);
    await expect
      .poll(() => ofKind('request completed'))
      .toContainEqual(expect.objectContaining({ status: 503, problem: 'store_unreachable' }));
  });
});

describe('what counts', () => {
  const started = () => {
    const events: ServiceEvent[] = [];
    const clock = new TestClock();
    let checks = 0;
    const unreachable: string[] = [];
    const outage = new Outage(
      async () => {
        checks += 1;
        return unreachable;
      },
      (event) => events.push(event),
      clock,
    );
    return { events, clock, outage, unreachable, checks: () => checks };
  };

  test.each(['busy', 'too slow'] as const)('a database that is %s is available', (reason) => {
    const { events, outage } = started();
    outage.add(new StoreUnavailable(reason, 'a reason'));
    expect(events).toEqual([]);
  });

  test('a database that cannot be used is not', () => {
    const { events, outage } = started();
    outage.add(new UnusableDatabase('the file is damaged', 'damaged'));
    expect(events).toMatchObject([{ kind: 'database unavailable', reason: 'unreachable' }]);
    outage.close();
  });

  test.each(['exhausted', 'not writable'] as const)(
    'a disk that is %s is an outage until nothing has failed for a while, since it can still be read',
    async (reason) => {
      const { events, clock, outage, checks } = started();
      outage.add(new StoreUnavailable(reason, 'a reason'));
      await clock.advance(29_999);
      expect([checks(), events.length]).toEqual([29, 1]);
      await clock.advance(1);
      expect(events[1]).toEqual({ kind: 'database available again', milliseconds: 30_000, failedRequests: 1 });
      await clock.advance(60_000);
      expect(checks()).toBe(30);
    },
  );

  test('while a part cannot be reached, the outage is not over, however long nobody has needed it', async () => {
    const { events, clock, outage, unreachable, checks } = started();
    unreachable.push('127.0.0.1:5432');
    outage.add(new StoreUnavailable('partly unreachable', 'a reason'));
    await clock.advance(60_000);
    expect([checks(), events.length]).toEqual([60, 1]);
    unreachable.pop();
    await clock.advance(1_000);
    expect(events[1]).toMatchObject({ kind: 'database available again', milliseconds: 61_000 });
  });

  test('another reason is another event, once, and the outage lasts as long as the slowest of them', async () => {
    const { events, clock, outage } = started();
    for (const reason of ['unreachable', 'exhausted', 'unreachable', 'exhausted'] as const)
      outage.add(new StoreUnavailable(reason, 'a reason'));
    const begun = [
      { kind: 'database unavailable', reason: 'unreachable' },
      { kind: 'database unavailable', reason: 'exhausted' },
    ];
    expect(events).toMatchObject(begun);
    await clock.advance(29_999);
    expect(events).toMatchObject(begun);
    await clock.advance(1);
    expect(events).toMatchObject([...begun, { kind: 'database available again', failedRequests: 4 }]);
  });
});
