/** Copies: complete while the account is written, after crashes, and after the history is lost. */

import { beforeAll, describe, expect, test } from 'vitest';
import { partner } from '../../src/catalog/partner.ts';
import { type Copy, type MirrorProgress, type Partner, Stockbook } from '../../src/client/index.ts';
import { aboveStore } from '../support/above-store.ts';
import { addAccount, load, NOW, type RecordValues } from '../support/fixture.ts';
import { startHttpProxy } from '../support/proxy.ts';
import { sharedService } from '../support/shared.ts';

/** A copy in memory, which can be told to fail. */
class MemoryCopy<R extends { readonly id: number } = Partner> implements Copy<R> {
  readonly byId = new Map<number, R>();
  checkpoint: string | undefined;
  /** Throws when it is called for the nth time, as a process that is killed there. */
  readonly #failAt: number;
  #calls = 0;

  constructor(failAt = Number.POSITIVE_INFINITY) {
    this.#failAt = failAt;
  }

  /** What a process finds that is started after another. */
  reopened(failAt?: number): MemoryCopy<R> {
    const copy = new MemoryCopy<R>(failAt);
    for (const [id, record] of this.byId) copy.byId.set(id, record);
    copy.checkpoint = this.checkpoint;
    return copy;
  }

  load() {
    return this.checkpoint;
  }

  async put(records: readonly R[]) {
    for (const record of records) {
      this.#step();
      this.byId.set(record.id, record);
    }
  }

  delete(ids: readonly number[]) {
    for (const id of ids) {
      this.#step();
      this.byId.delete(id);
    }
  }

  save(checkpoint: string) {
    this.#step();
    this.checkpoint = checkpoint;
  }

  clear() {
    this.checkpoint = undefined;
    this.#step();
    this.byId.clear();
  }

  records(): Iterable<R> {
    return [...this.byId.values()].toSorted((a, b) => a.id - b.id);
  }

  #step(): void {
    this.#calls += 1;
    if (this.#calls === this.#failAt) throw new Error('killed');
  }
}

describe.each(aboveStore)('on $name', (engine) => {
  let url: string;
  let accounts = 0;
  const service = sharedService(engine);
  beforeAll(async () => {
    url = `http://127.0.0.1:${service.port}`;
  });

  const rowsUpTo = (count: number): RecordValues[] =>
    Array.from({ length: count }, (_, n) => ({ id: n + 1, name: `Partner ${n + 1}` }));
  const accountWith = async (count: number) => {
    accounts += 1;
    const account = await addAccount(service.store, `mirrored-${accounts}`);
    await load(service.store, account, partner, rowsUpTo(count));
    const key = await service.issue(account);
    const { partners } = new Stockbook({ url, key });
    const replace = (rows: readonly RecordValues[]) => load(service.store, account, partner, rows, { replace: true });
    const list = async () => {
      const all: Partner[] = [];
      for await (const record of partners.stream()) all.push(record);
      return all;
    };
    return { key, partners, replace, list };
  };

  test('is built, proven and brought up to date', async () => {
    const { partners, replace, list } = await accountWith(1_200);
    const copy = new MemoryCopy();
    expect(await partners.mirror(copy)).toEqual({
      put: 1_200,
      deleted: 0,
      restarts: 0,
      isUpToDate: true,
      isProven: true,
    });
    expect(copy.records()).toEqual(await list());
    await partners.create({ name: 'New' });
    await replace([...rowsUpTo(10), { id: 9_000, name: 'Far away' }]);
    const later = copy.reopened();
    expect(await partners.mirror(later)).toMatchObject({ restarts: 0, isProven: true });
    expect(later.records()).toEqual(await list());
    expect(later.byId.size).toBe(11);
  });

  test('is up to date, but not proven, while the service has no digest', async () => {
    const { key, list } = await accountWith(5);
    const proxy = await startHttpProxy(service.port, (path) => path.includes('/digest'));
    const { partners } = new Stockbook({ url: proxy.url, key });
    const copy = new MemoryCopy();
    expect(await partners.mirror(copy)).toMatchObject({ put: 5, isUpToDate: true, isProven: false });
    expect(copy.records()).toEqual(await list());
    await proxy.close();
  });

  test('an empty account has an empty copy', async () => {
    const { partners } = await accountWith(0);
    const copy = new MemoryCopy();
    expect(await partners.mirror(copy)).toMatchObject({ put: 0, isUpToDate: true, isProven: true });
    expect(copy.checkpoint).toBeDefined();
  });

  test('without records() the copy is complete, but not proven', async () => {
    const { partners } = await accountWith(5);
    const copy = new MemoryCopy();
    const blind: Copy<Partner> = {
      load: () => copy.load(),
      put: (records) => copy.put(records),
      delete: (ids) => copy.delete(ids),
      save: (checkpoint) => copy.save(checkpoint),
      clear: () => copy.clear(),
    };
    expect(await partners.mirror(blind)).toMatchObject({ put: 5, isUpToDate: true, isProven: false });
  });

  test('has the selected fields and records, and starts over if the selection changes', async () => {
    const { partners } = await accountWith(20);
    const copy = new MemoryCopy<{ readonly id: number; readonly name: string }>();
    const filter = partners.where('id', '>', 15);
    expect(await partners.mirror(copy, { fields: ['name'], filter })).toMatchObject({ put: 5, isProven: true });
    expect(copy.records()).toEqual(rowsUpTo(20).slice(15));
    copy.byId.set(99, { id: 99, name: 'Left over' });
    const other = { fields: ['name', 'id'], filter: partners.where('id', '<=', 2) } as const;
    expect(await partners.mirror(copy, other)).toMatchObject({ put: 2, restarts: 0, isProven: true });
    expect([...copy.byId.keys()]).toEqual([1, 2]);
  });

  test('is complete after writes that never paused, and then proven', async () => {
    const { partners, replace, list } = await accountWith(300);
    const controller = new AbortController();
    const copy = new MemoryCopy();
    const states: MirrorProgress[] = [];
    const following = partners.mirror(copy, {
      follow: true,
      signal: controller.signal,
      onProgress: (state) => states.push(state),
    });
    const stopped = expect(following).rejects.toThrow('stop');
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 10 }, (_, n) => partners.create({ name: `${round}-${n}` })));
      await replace([...rowsUpTo(100 + round), { id: 5_000 + round, name: 'Replaced' }]);
    }
    const all = await list();
    await expect.poll(() => copy.byId.size).toBe(all.length);
    await expect.poll(() => states.at(-1)?.isProven).toBe(true);
    expect(copy.records()).toEqual(all);
    const id = await partners.create({ name: 'While it waits' });
    await expect.poll(() => copy.byId.get(id)?.name).toBe('While it waits');
    controller.abort(new Error('stop'));
    await stopped;
    expect(await partners.mirror(copy.reopened())).toMatchObject({ put: 0, restarts: 0, isProven: true });
  });

  test('ends, without a proof, if the account is written whenever the copy is', async () => {
    const { partners } = await accountWith(1);
    const copy = new MemoryCopy();
    const busy: Copy<Partner> = {
      load: () => copy.load(),
      async put(records) {
        await copy.put(records);
        await partners.create({ name: 'Again' });
      },
      delete: (ids) => copy.delete(ids),
      save: (checkpoint) => copy.save(checkpoint),
      clear: () => copy.clear(),
      records: () => copy.records(),
    };
    expect(await partners.mirror(busy)).toMatchObject({ restarts: 0, isUpToDate: true, isProven: false });
    expect(await partners.mirror(copy)).toMatchObject({ put: 1, isProven: true });
  });

  test('continues wherever the process was killed', async () => {
    const { partners, replace, list } = await accountWith(30);
    const saved = new MemoryCopy();
    await partners.mirror(saved);
    await partners.create({ name: 'New' });
    await replace(rowsUpTo(25));
    const expected = await list();
    for (const start of [new MemoryCopy(), saved])
      for (let failAt = 1; failAt < 45; failAt += 4) {
        const killed = start.reopened(failAt);
        await partners.mirror(killed).catch((error: Error) => expect(error.message).toBe('killed'));
        const copy = killed.reopened();
        expect(await partners.mirror(copy)).toMatchObject({ restarts: 0, isProven: true });
        expect(copy.records()).toEqual(expected);
      }
  });

  test('starts over when its cursor has expired', async () => {
    const { partners, replace, list } = await accountWith(10);
    const copy = new MemoryCopy();
    await partners.mirror(copy);
    await replace(rowsUpTo(5));
    // What was removed is forgotten.
    await service.store.records.prune(new Date(Date.parse(NOW) + 365 * 24 * 3_600_000).toISOString());
    copy.byId.set(77, Object({ id: 77 }));
    expect(await partners.mirror(copy)).toMatchObject({ restarts: 1, isUpToDate: true, isProven: true });
    expect(copy.records()).toEqual(await list());
  });

  test('a copy that something else has changed is built anew', async () => {
    const { partners, list } = await accountWith(10);
    const copy = new MemoryCopy();
    await partners.mirror(copy);
    copy.byId.delete(4);
    expect(await partners.mirror(copy)).toMatchObject({ restarts: 1, isProven: true });
    expect(copy.records()).toEqual(await list());
  });

  test('a copy that returns something else than was put is an error', async () => {
    const { partners } = await accountWith(10);
    const copy = new MemoryCopy();
    copy.records = () => [];
    await expect(partners.mirror(copy)).rejects.toMatchObject({ code: 'copy_differs' });
  });
});
