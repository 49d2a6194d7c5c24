/** Pages of sorted lists, from the first to the last: those in the second half are looked for from the end. */

import { beforeAll, describe, expect, test } from 'vitest';
import { partner } from '../../../src/catalog/partner.ts';
import { planList } from '../../../src/plan/list.ts';
import { pageIdsStatement } from '../../../src/store/sql/list-statements.ts';
import { sqliteDialect } from '../../../src/store/sqlite/dialect.ts';
import type { Account } from '../../../src/store/store.ts';
import { engines } from '../../support/engines.ts';
import {
  addAccount,
  listPage,
  load,
  planned,
  type RecordValues,
  recordsIn,
  type TextPage,
} from '../../support/fixture.ts';
import { sorted } from '../../support/oracle.ts';
import { sharedStore } from '../../support/shared.ts';

/** So many that sorting them is considered slow. */
const COUNT = 3_300;

const LIMIT = 450;

/** A third have no city, and many have the same. */
const records: readonly RecordValues[] = Array.from({ length: COUNT }, (_, n) => ({
  id: n + 1,
  name: `Partner ${(n * 7_919) % COUNT}`,
  city: n % 3 === 0 ? null : `City ${n % 17}`,
  is_company: n % 2 === 0,
}));

const idsOf = (page: TextPage | undefined) => recordsIn(page?.records ?? '').map(({ id }) => id);

const planOf = (values: Readonly<Record<string, string>>) =>
  planned(planList(partner, { values: { fields: 'id,name', limit: String(LIMIT), ...values }, continuations: [] }));

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);
  let account: Account;
  beforeAll(async () => {
    account = await addAccount(opened.store, 'acme');
    await load(opened.store, account, partner, records);
  });

  test.each([
    [{ sort: 'city' }],
    [{ sort: '-city,name' }],
    [{ sort: 'name,-id' }],
    [{ sort: '-is_company,city' }],
    [{ sort: '-name', filter: 'is_company=true' }],
  ])('all pages of %j', async (values) => {
    const matching = records.filter((record) => !('filter' in values) || record['is_company'] === true);
    const expected = sorted(matching, values.sort.split(','), partner).map(({ id }) => id);
    const found: unknown[] = [];
    // The last one is empty.
    for (let page = 1; page <= Math.ceil(expected.length / LIMIT) + 1; page += 1) {
      const listed = await listPage(opened.store, account.id, planOf({ ...values, page: String(page) }));
      expect(listed?.total).toBe(expected.length);
      found.push(...idsOf(listed));
    }
    expect(found).toEqual(expected);
  });

  test('a page from the end is exact although records were added meanwhile', async () => {
    const { store } = opened;
    const plan = planOf({ sort: '-name', page: '8' });
    const outdated = (await store.version(account.id))?.ledger.get(partner.name);
    if (outdated === undefined) throw new Error('the account does not exist');
    const added = { id: COUNT + 1, name: 'Zzz', city: null, is_company: false };
    await load(store, account, partner, [added]);
    const page = await store.records.list({ account: account.id }, plan, outdated);
    if (page === 'no access') throw new Error('the account does not exist');
    const expected = sorted([...records, added], ['-name'], partner).map(({ id }) => id);
    const text = typeof page.records === 'string' ? page.records : Buffer.concat(page.records).toString();
    expect(recordsIn(text).map(({ id }) => id)).toEqual(expected.slice(7 * LIMIT, 8 * LIMIT));
    expect(page.total).toBe(COUNT + 1);
  });
});

test('the last page is the first of the opposite order', () => {
  const plan = planOf({ sort: '-city', page: '8' });
  const statement = (total: number) => pageIdsStatement(1, plan, sqliteDialect, total, undefined);
  expect(statement(COUNT).text).toContain('ORDER BY city_fold NULLS FIRST, id DESC');
  expect(statement(COUNT).parameters).toContain(COUNT - 7 * LIMIT);
  expect(statement(COUNT).parameters).toContain(0);
  expect(statement(2 * COUNT).parameters).toContain(7 * LIMIT);
});
