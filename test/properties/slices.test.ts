/** A list that is read in slices is the same list, however long the slices are and however sparse the ids. */

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { product } from '../../src/catalog/product.ts';
import { printFilter } from '../../src/filter/print.ts';
import { planList } from '../../src/plan/list.ts';
import { NO_DEADLINE } from '../../src/schedule/deadline.ts';
import { readDatabase } from '../../src/store/database.ts';
import type { Read } from '../../src/store/engine/engine.ts';
import { Connection as PostgresConnection } from '../../src/store/postgres/connection.ts';
import { postgresDialect } from '../../src/store/postgres/dialect.ts';
import { type KnownList, SlicedReads } from '../../src/store/sliced-reads.ts';
import type { Dialect } from '../../src/store/sql/dialect.ts';
import { Connection as SqliteConnection } from '../../src/store/sqlite/connection.ts';
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts';
import { filterOf, recordsOf } from '../support/arbitraries.ts';
import { engines, type OpenedStore, openTestStore } from '../support/engines.ts';
import { addAccount, load, planned } from '../support/fixture.ts';
import { matches, sorted } from '../support/oracle.ts';
import { rounds } from '../support/rounds.ts';

interface Reader {
  readonly dialect: Dialect;
  readonly read: Read;
  close(): Promise<void>;
}

async function openReader(url: string): Promise<Reader> {
  const database = readDatabase(url);
  if (database?.kind === 'sqlite') {
    const connection = new SqliteConnection(database.path);
    return {
      dialect: sqliteDialect,
      read: async (statement) => connection.read(statement),
      close: async () => connection.close(),
    };
  }
  const host = database?.url.hosts[0];
  if (database === undefined || host === undefined) throw new Error(`${url} names no database`);
  const options = { url: database.url, statementTimeout: 60, onLost: () => {} };
  const connection = await PostgresConnection.open(host, 'slow', options);
  return {
    dialect: postgresDialect,
    read: ({ text, parameters }) => connection.query(text, parameters),
    close: () => connection.close(),
  };
}

describe.each(engines)('on $name', (engine) => {
  let opened: OpenedStore;
  let reader: Reader;
  let accounts = 0;
  beforeAll(async () => {
    opened = await openTestStore(engine);
    reader = await openReader(opened.database.url);
  });
  afterAll(async () => {
    await reader.close();
    await opened.close();
  });

  test('pages, totals and anchors are those of the oracle', async () => {
    const lists = recordsOf(product).chain((records) =>
      fc.record({
        records: fc.constant(records),
        isDense: fc.boolean(),
        filter: fc.option(filterOf(product, records), { nil: undefined }),
        descending: fc.boolean(),
        page: fc.integer({ min: 1, max: 4 }),
        limit: fc.integer({ min: 1, max: 4 }),
        sliceRows: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(Number.POSITIVE_INFINITY)),
        spacing: fc.integer({ min: 1, max: 3 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(lists, async ({ records, isDense, filter, descending, page, limit, sliceRows, spacing }) => {
        accounts += 1;
        const account = await addAccount(opened.store, `slices-${accounts}`);
        const stored = isDense ? records.map((values, index) => ({ ...values, id: index + 1 })) : records;
        await load(opened.store, account, product, stored);
        const values = {
          ...(filter !== undefined && { filter: printFilter(filter) }),
          ...(descending && { sort: '-id' }),
          page: String(page),
          limit: String(limit),
        };
        const plan = planned(planList(product, { values, continuations: [] }));
        const slices = new SlicedReads({ dialect: reader.dialect, sliceRows }, reader.read, {
          account: account.id,
          deadline: NO_DEADLINE,
        });
        const ledger = await slices.ledger(product);
        if (ledger === 'no access') throw new Error('the account is missing');

        const found = sorted(
          filter === undefined ? stored : stored.filter((record) => matches(filter, record, product)),
          descending ? ['-id'] : [],
          product,
        );
        const ids = found.map((record) => Number(record['id']));
        const expected = { ids: ids.slice((page - 1) * limit, page * limit), total: ids.length };
        const read = (known: KnownList) => slices.locate(plan, ledger, known);
        expect(await read({})).toEqual(expected);
        expect(await read({ total: ids.length })).toEqual(expected);
        expect(await slices.total(plan, ledger)).toBe(ids.length);
        const anchors = await slices.anchors(plan, ledger, spacing);
        expect(anchors).toEqual(
          ids.flatMap((id, index) => ((index + 1) % spacing === 0 ? [{ offset: index + 1, id }] : [])),
        );
        const anchor = anchors.filter(({ offset }) => offset <= (page - 1) * limit).at(-1);
        expect(await read({ total: ids.length, anchor })).toEqual(expected);
      }),
      { numRuns: rounds(20, 60) },
    );
  });
});
