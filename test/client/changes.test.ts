/** The change feed as an iterator. */

import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { type Changes, Stockbook } from '../../src/client/index.ts';
import { aboveStore } from '../support/above-store.ts';
import { addAccount, load } from '../support/fixture.ts';
import { type Fault, startProxy } from '../support/proxy.ts';
import { sharedService } from '../support/shared.ts';

type Page = Changes<{ readonly id: number; readonly name: string }>;

describe.each(aboveStore)('on $name', (engine) => {
  let url: string;
  let accounts = 0;
  const service = sharedService(engine);
  beforeAll(async () => {
    url = `http://127.0.0.1:${service.port}`;
  });

  const accountWith = async (count: number) => {
    accounts += 1;
    const account = await addAccount(service.store, `feed-${accounts}`);
    const rows = Array.from({ length: count }, (_, n) => ({ id: n + 1, name: `${n + 1}` }));
    await load(service.store, account, partner, rows);
    const key = await service.issue(account);
    const replace = (records: readonly Page['records'][number][]) =>
      load(service.store, account, partner, records, { replace: true });
    return { key, replace, ...new Stockbook({ url, key }) };
  };
  const fields = ['id', 'name'] as const;

  test('starts with everything, in pages, and ends when there is no more', async () => {
    const { partners } = await accountWith(2_500);
    const pages: Page[] = [];
    for await (const page of partners.changes({ fields, follow: false })) pages.push(page);
    expect(pages.map(({ records, more }) => [records.length, more])).toEqual([
      [1_000, true],
      [1_000, true],
      [500, false],
    ]);
    expect(pages.flatMap(({ records }) => records.map(({ id }) => id))).toEqual(
      Array.from({ length: 2_500 }, (_, n) => n + 1),
    );
  });

  test('has a cursor even if there is nothing', async () => {
    const { partners } = await accountWith(0);
    const pages: Page[] = [];
    for await (const page of partners.changes({ fields, follow: false })) pages.push(page);
    expect(pages).toEqual([{ records: [], removed: [], cursor: expect.stringMatching(/./), more: false }]);
  });

  test('continues at a cursor, and waits for what comes', async () => {
    const { partners, replace } = await accountWith(3);
    const [first] = [(await partners.changes({ fields }).next()).value];
    await replace([
      { id: 1, name: '1' },
      { id: 3, name: 'three' },
    ]);
    const feed = partners.changes({ fields, since: first?.cursor });
    expect((await feed.next()).value).toMatchObject({ records: [{ id: 3, name: 'three' }], removed: [2], more: false });
    const next = feed.next();
    const id = await partners.create({ name: 'Next' });
    expect((await next).value).toMatchObject({ records: [{ id, name: 'Next' }], removed: [] });
    await feed.return();
  });

  test('outlives failures, however many there are', async () => {
    const { key, partners } = await accountWith(1);
    const faults: Fault[] = ['none', ...Array<Fault>(7).fill('request lost'), { cutAfter: 30 }];
    const proxy = await startProxy(service.port, faults);
    const feed = new Stockbook({ url: proxy.url, key }).partners.changes({ fields });
    expect((await feed.next()).value).toMatchObject({ records: [{ id: 1 }] });
    // Pauses are random and double every time. The shortest are as good as any here.
    vi.spyOn(Math, 'random').mockReturnValue(0);
    onTestFinished(() => void vi.restoreAllMocks());
    const next = feed.next();
    proxy.disconnect();
    const id = await partners.create({ name: 'After the failures' });
    expect((await next).value).toMatchObject({ records: [{ id }] });
    await feed.return();
    await proxy.close();
  });

  test('a cursor of another account is an error', async () => {
    const [one, other] = [await accountWith(1), await accountWith(1)];
    const { value } = await one.partners.changes({ fields }).next();
    await expect(other.partners.changes({ fields, since: value?.cursor }).next()).rejects.toMatchObject({
      code: 'invalid_cursor',
      status: 400,
    });
  });
});
