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
import { SINGLE_SERVER } from '../../src/store/postgres/single-server.ts';
import type { KnownList } from '../../src/store/records/list-reading.ts';
import { SlicedReads } from '../../src/store/records/sliced-reads.ts';
import type { Dialect } from '../../src/store/sql/dialect.ts';
import { Connection as SqliteConnection } from '../../src/store/sqlite/connection.ts';
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts';
import { filterOf, recordsOf } from '../support/arbitraries.ts';
import { engines } from '../support/engines.ts';
import { addAccount, load, planned } from '../support/fixture.ts';
import { matches, sorted } from '../support/oracle.ts';
import { rounds } from '../support/rounds.ts';
import { sharedStore } from '../support/shared.ts';

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
  const options = { url: database.url, topology: SINGLE_SERVER, statementTimeout: 60, onLost: () => {} };
  const connection = await PostgresConnection.open(host, 'slow', options);
  return {
    dialect: postgresDialect,
    read: ({ text, parameters }) => connection.query(text, parameters),
    close: () => connection.close(),
  };
}

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);
  let reader: Reader;
  let accounts = 0;
  beforeAll(async () => {
    reader = await openReader(opened.database.url);
  });
  afterAll(() => reader.close());

  test('pages and totals are those of the oracle, whatever is known', async () => {
    const lists = recordsOf(product).chain((records) =>
      fc.record({
        records: fc.constant(records),
        isDense: fc.boolean(),
        filter: fc.option(filterOf(product, records), { nil: undefined }),
        descending: fc.boolean(),
        page: fc.integer({ min: 1, max: 4 }),
        limit: fc.integer({ min: 1, max: 4 }),
        sliceRows: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constant(Number.POSITIVE_INFINITY)),
        distance: fc.integer({ min: 0, max: 3 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(lists, async ({ records, isDense, filter, descending, page, limit, sliceRows, distance }) => {
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
        const { version } = ledger;
        const read = (known: Partial<KnownList>) =>
          slices.locate(plan, ledger, { version, total: undefined, anchor: undefined, isLarge: false, ...known });
        expect(await read({})).toEqual(expected);
        expect(await read({ total: ids.length })).toEqual(expected);
        expect(await slices.total(plan, ledger)).toBe(ids.length);
        const offset = Math.min((page - 1) * limit, ids.length) - distance;
        const id = ids[offset - 1];
        const anchor = id === undefined ? undefined : { offset, id };
        expect(await read({ total: ids.length, anchor })).toEqual(expected);
        // What is known at another version is not used.
        const outdated = { ...version, revision: version.revision - 1 };
        expect(await read({ version: outdated, total: 99, anchor: { offset: 0, id: 99 } })).toEqual(expected);
      }),
      { numRuns: rounds(20, 60) },
    );
  });
});
