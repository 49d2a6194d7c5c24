/** Lists of which something changes while they are read. What they contain otherwise is tested in `properties/`. */

import { afterEach, describe, expect, test } from 'vitest';
import { partner } from '../../../src/catalog/partner.ts';
import { id } from '../../../src/catalog/resource.ts';
import { planCreate } from '../../../src/plan/create.ts';
import { planList } from '../../../src/plan/list.ts';
import { processActor } from '../../../src/store/accounts/process-actor.ts';
import { sqlStore } from '../../../src/store/sql-store.ts';
import { Connection } from '../../../src/store/sqlite/connection.ts';
import { SqliteEngine } from '../../../src/store/sqlite/engine.ts';
import { CacheBudget } from '../../../src/store/state/cache.ts';
import type { Page } from '../../../src/store/store.ts';
import { eagerColumns } from '../../support/columns.ts';
import { engines, type OpenedStore, openTestStore, sqlite } from '../../support/engines.ts';
import { addAccount, load, NOW, planned, recordsIn } from '../../support/fixture.ts';

/** So many that filtering them is considered slow. */
const COUNT = 3_000;

const records = Array.from({ length: COUNT }, (_, n) => ({ id: n + 1, name: `Partner ${n + 1}` }));

const opened: Pick<OpenedStore, 'close'>[] = [];
afterEach(async () => {
  for (const { close } of opened.splice(0).toReversed()) await close();
});

const planOf = (values: Readonly<Record<string, string>>) =>
  planned(planList(partner, { values: { fields: 'id', ...values }, continuations: [] }));

const idsIn = ({ records: found }: Page) =>
  recordsIn(typeof found === 'string' ? found : Buffer.concat(found).toString()).map((record) => record['id']);

describe.each(engines)('on $name', (engine) => {
  test.each(['id', '-id'])(
    'a page in the order %s is exact although records before it were removed meanwhile',
    async (sort) => {
      const { store, ...rest } = await openTestStore(engine);
      opened.push(rest);
      const account = await addAccount(store, 'acme');
      const all = records.slice(0, 1_500);
      await load(store, account, partner, all);
      const pageAt = async (page: number, version = store.version(account.id)) => {
        const known = (await version)?.ledger.get('partner');
        if (known === undefined) throw new Error('the account does not exist');
        const plan = planOf({ sort, limit: '500', page: String(page) });
        const found = await store.records.list({ account: account.id }, plan, known);
        if (found === 'no access') throw new Error('the account does not exist');
        return found;
      };
      await pageAt(1);
      const outdated = await store.version(account.id);
      const left = all.filter((record) => record.id % 500 !== 7);
      await load(store, account, partner, left, { key: id, replace: true });
      const page = await pageAt(2, Promise.resolve(outdated));
      const ids = left.map((record) => record.id);
      expect(idsIn(page)).toEqual((sort === 'id' ? ids : ids.toReversed()).slice(500, 1_000));
      expect(page.total).toBe(left.length);
    },
  );
});

test('a list that changes before every statement is read after a few attempts', async () => {
  const other = await openTestStore(sqlite);
  opened.push(other);
  const account = await addAccount(other.store, 'acme');
  await load(other.store, account, partner, records);

  let isWriting = false;
  let written = 0;
  const write = async () => {
    if (!isWriting) return;
    written += 1;
    await other.store.records.create({ account: account.id }, planned(planCreate(partner, { name: 'New' }, NOW)));
  };
  const columns = eagerColumns();
  const { url } = other.database;
  const path = url.replace(/^sqlite:/, '');
  const engine = new SqliteEngine(path, new Connection(path), { opened: { access: 'read-write' } });
  const store = sqlStore(writingBeforeReads(engine, write), processActor(), new CacheBudget(0), {
    columnIndexes: columns.options,
  });
  opened.push(store);
  const list = async (filter: string) => {
    const version = (await store.version(account.id))?.ledger.get('partner');
    if (version === undefined) throw new Error('the account does not exist');
    return store.records.list({ account: account.id }, planOf({ filter }), version);
  };
  await columns.buildWith(() => list('phone!=1'));
  expect(await list('phone!=2')).toMatchObject({ source: 'index', total: COUNT });

  const { hits, misses } = store.stats().index;
  isWriting = true;
  const page = await list('phone!=3');
  isWriting = false;
  expect(page).toMatchObject({ source: 'counted', total: COUNT + written });
  expect(store.stats().index).toMatchObject({ hits, misses: misses + 1 });
  expect(written).toBeGreaterThan(1);
  expect(written).toBeLessThan(20);
});

/** The engine, on which `write` precedes every fast read. */
function writingBeforeReads(engine: SqliteEngine, write: () => Promise<void>): SqliteEngine {
  const fast: SqliteEngine['fast'] = async (job, statement) => {
    await write();
    return engine.fast(job, statement);
  };
  return new Proxy(engine, {
    get(target, name) {
      if (name === 'fast') return fast;
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}
