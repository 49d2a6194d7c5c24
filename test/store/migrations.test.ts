/** Released migrations never change, and databases of every age arrive at the same answers. */

import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { company } from '../../src/catalog/company.ts';
import { fold } from '../../src/catalog/fold.ts';
import { partner } from '../../src/catalog/partner.ts';
import { product } from '../../src/catalog/product.ts';
import type { Resource } from '../../src/catalog/resource.ts';
import { planList } from '../../src/plan/list.ts';
import { MIGRATION_TABLE, migrations, SCHEMA_VERSION } from '../../src/store/migrations/migrations.ts';
import type { Store } from '../../src/store/store.ts';
import { engines, openDatabase, type TestDatabase, type TestEngine } from '../support/engines.ts';
import { addAccount, listPage, load, NOW, planned, recordsIn } from '../support/fixture.ts';

test('migrations are numbered in order', () => {
  expect(migrations.map(({ number }) => number)).toEqual(migrations.map((_, index) => index + 1));
  expect(SCHEMA_VERSION).toBe(migrations.length);
});

/** Whitespace outside of string literals does not matter to SQL. */
const normalized = (steps: (typeof migrations)[number]['sqlite'] = []) =>
  steps.map((step) => (typeof step === 'string' ? step.replaceAll(/\s+/g, ' ') : step));

test.each(migrations)('migration $number ($name) is frozen', ({ sqlite, postgres, postgresAfterwards }) => {
  expect({
    sqlite: normalized(sqlite),
    postgres: normalized(postgres),
    postgresAfterwards: normalized(postgresAfterwards),
  }).toMatchSnapshot();
});

/** A database as a version of the program with this schema made it. */
async function databaseOf(engine: TestEngine, version: number): Promise<TestDatabase> {
  const database = await engine.makeDatabase();
  const isSqlite = engine.name === 'SQLite';
  await database.execute(isSqlite ? MIGRATION_TABLE.sqlite : MIGRATION_TABLE.postgres);
  for (const { number, sqlite, postgres, postgresAfterwards = [] } of migrations.slice(0, version)) {
    // Other steps change rows, and there are none.
    const steps = (isSqlite ? sqlite : postgres).filter((step) => typeof step === 'string');
    const done = `INSERT INTO migration VALUES (${number}, 'earlier', '${NOW}')`;
    await database.execute(['BEGIN', ...steps, done, 'COMMIT'].join(';\n'));
    if (!isSqlite) for (const statement of postgresAfterwards) await database.execute(statement);
  }
  return database;
}

describe.each(engines)('on $name', (engine) => {
  test('an upgrade is part of the audit trail, once, and a new database is not', async () => {
    for (const [version, expected] of [
      [SCHEMA_VERSION - 1, [`{"from":${SCHEMA_VERSION - 1},"to":${SCHEMA_VERSION}}`]],
      [0, []],
    ] as const) {
      const database = await (version === 0 ? engine.makeDatabase() : databaseOf(engine, version));
      const stores = [await openDatabase(database.url), await openDatabase(database.url)];
      const found: string[] = [];
      for await (const entries of stores[0]?.audit.entries({ action: 'database upgraded' }) ?? [])
        found.push(...entries.map(({ details }) => details));
      for (const store of stores) await store.close();
      await database.drop();
      expect(found).toEqual(expected);
    }
  });

  describe('text that was lowercased after it was composed is folded again', () => {
    const formerFold = (text: string) => text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ');
    const MAY = 'ΜΑΪ\u0301ΟΥ';
    const JAZZ = 'J\u030cazz';

    /** More than two batches of text beyond ASCII, and past 250, where records join SQLite's search index. */
    const ROWS = 2_600;
    const nameOf = (id: number) => (id % 100 === 0 ? `${MAY} ${id}` : id % 100 === 50 ? `${JAZZ} ${id}` : `Ä ${id}`);
    const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await databaseOf(engine, 6);
      const both = (text: string) => `${quoted(text)}, ${quoted(formerFold(text))}`;
      const partners = Array.from({ length: ROWS }, (_, n) => {
        const name = both(nameOf(n + 1));
        const email = n % 2 === 0 ? 'NULL, NULL' : both(`${JAZZ}@example.com`);
        return `(1, ${n + 1}, ${name}, ${email}, FALSE, FALSE, TRUE, FALSE, FALSE, FALSE, '${NOW}', '${NOW}', 1)`;
      });
      const statements = [
        'UPDATE counter SET value = 1',
        `INSERT INTO account (id, name, created_at) VALUES (1, 'acme', '${NOW}')`,
        `INSERT INTO ledger (account_id, resource, revision, rows, last_id)
          VALUES (1, 'partner', 1, ${ROWS}, ${ROWS}), (1, 'product', 1, 1, 1), (1, 'company', 1, 1, 1)`,
        `INSERT INTO partner (account_id, id, name, name_fold, email, email_fold,
            is_company, is_patient, active, is_customer, is_vendor, is_employee, create_date, write_date, revision)
          VALUES ${partners.join(', ')}`,
        `INSERT INTO product (account_id, id, name, name_fold, default_code, default_code_fold,
            list_price, qty_available, active, create_date, write_date, revision)
          VALUES (1, 1, ${both('A')}, ${both(JAZZ)}, 0, 0, TRUE, '${NOW}', '${NOW}', 1)`,
        `INSERT INTO company (account_id, id, name, name_fold, branch_user, branch_user_fold, create_date, write_date, revision)
          VALUES (1, 1, ${both(MAY)}, ${both(JAZZ)}, '${NOW}', '${NOW}', 1)`,
      ];
      await database.execute(['BEGIN', ...statements, 'COMMIT'].join(';\n'));
      store = await openDatabase(database.url);
    });
    afterAll(async () => {
      await store.close();
      await database.drop();
    });

    const found = async (resource: Resource, filter: string) => {
      const values = { filter, fields: 'id', limit: '1000' };
      const page = await listPage(store, 1, planned(planList(resource, { values, continuations: [] })));
      return recordsIn(page?.records ?? '').map(({ id }) => id);
    };
    const every100th = (from: number) => Array.from({ length: ROWS / 100 }, (_, n) => from + n * 100);

    test('the examples are folded differently', () => {
      for (const text of [MAY, JAZZ]) expect(fold(text)).not.toBe(formerFold(text));
    });

    test.each([MAY, 'μαΐου', 'ΑΪ\u0301Ο', 'ΐ'])('name*%s finds it', async (text) => {
      expect(await found(partner, `name*${text}`)).toEqual(every100th(100));
      expect(await found(company, `name*${text}`)).toEqual([1]);
    });

    test.each([JAZZ, 'ǰAZ', 'ǰ', 'J\u030c'])('*%s finds it in other fields', async (text) => {
      expect(await found(partner, `name*${text}`)).toEqual(every100th(50));
      expect(await found(partner, `email*${text}&id<=4`)).toEqual([2, 4]);
      expect(await found(company, `branch_user*${text}`)).toEqual([1]);
      expect(await found(product, `default_code*${text}`)).toEqual([1]);
    });

    test('all other text keeps its folded form', async () => {
      expect(await found(partner, 'name*"ä 123"')).toEqual([123, 1230, ...range(1231, 1239)].filter(isPlain));
      expect(await database.count('partner', 'name_fold IS NULL OR (email IS NULL) <> (email_fold IS NULL)')).toBe(0);
      expect(await database.count('partner', `name LIKE 'Ä %' AND name_fold NOT LIKE 'ä %'`)).toBe(0);
    });
    const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
    const isPlain = (id: number) => id % 50 !== 0;

    test.runIf(engine.name === 'SQLite')("SQLite's search index has the new form, and no longer the former one", () => {
      const connection = new DatabaseSync(database.url, { readOnly: true });
      const search = connection.prepare('SELECT count(*) AS rows FROM partner_search WHERE partner_search MATCH ?');
      const rowsWith = (trigram: string) => Number(search.get(`name_fold : "${trigram}"`)?.['rows']);
      // The last records have not joined it yet.
      const indexed = Math.floor(ROWS / 250) * 250;
      expect(rowsWith('μαΐ')).toBe(indexed / 100);
      expect(rowsWith('ΐου')).toBe(indexed / 100);
      expect(rowsWith('ϊ\u0301ο')).toBe(0);
      expect(rowsWith('\u0301ου')).toBe(0);
      connection.close();
    });
  });

  describe('keys that were revoked at a time in the future', () => {
    const LONG_AGO = '2026-01-01T00:00:10.250Z';
    const ROTATED = '2026-02-01T00:00:20.500Z';
    const key = (id: string, name: string, created: string, expires: string | null, revoked: string | null) =>
      `('${id}', 1, '${name}', 'hash', 'read', '${created}', ${expires && `'${expires}'`}, ${revoked && `'${revoked}'`})`;
    let database: TestDatabase;
    let store: Store;
    beforeAll(async () => {
      database = await databaseOf(engine, 8);
      const keys = [
        key('rotated', 'a', LONG_AGO, null, '2999-02-02T00:00:20.500Z'),
        key('successor', 'a', ROTATED, null, null),
        key('rotated, expires before', 'b', LONG_AGO, '2999-01-01T00:00:00.000Z', '2999-02-02T00:00:20.500Z'),
        key('successor, too', 'b', ROTATED, '2999-03-03T00:00:00.000Z', null),
        key('rotated long ago', 'c', LONG_AGO, null, '2026-02-02T00:00:20.500Z'),
        key('successor since long ago', 'c', ROTATED, null, null),
        key('revoked by a clock that was ahead', 'd', LONG_AGO, null, '2999-02-02T00:00:20.500Z'),
        key('rotated, then revoked', 'e', LONG_AGO, null, '2999-02-02T00:00:20.501Z'),
        key('successor that remains', 'e', ROTATED, null, null),
      ];
      await database.execute(`INSERT INTO account (id, name, created_at) VALUES (1, 'acme', '${NOW}')`);
      await database.execute(
        `INSERT INTO api_key (id, account_id, name, secret_hash, scopes, created_at, expires_at, revoked_at) VALUES ${keys.join()}`,
      );
      store = await openDatabase(database.url);
    });
    afterAll(async () => {
      await store.close();
      await database.drop();
    });

    test.each([
      ['rotated', { expiresAt: '2999-02-02T00:00:20.500Z', revokedAt: null, replacedBy: 'successor' }],
      ['successor', { expiresAt: null, revokedAt: null, replacedBy: null }],
      [
        'rotated, expires before',
        { expiresAt: '2999-01-01T00:00:00.000Z', revokedAt: null, replacedBy: 'successor, too' },
      ],
      ['rotated long ago', { expiresAt: null, revokedAt: '2026-02-02T00:00:20.500Z', replacedBy: null }],
      [
        'revoked by a clock that was ahead',
        { expiresAt: null, revokedAt: '2999-02-02T00:00:20.500Z', replacedBy: null },
      ],
      ['rotated, then revoked', { expiresAt: null, revokedAt: '2999-02-02T00:00:20.501Z', replacedBy: null }],
    ])('%s', async (id, expected) => {
      expect((await store.keys.find(id))?.key).toMatchObject(expected);
    });
  });

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 9])('a database of version %i can be written and searched', async (version) => {
    const database = await databaseOf(engine, version);
    const store = await openDatabase(database.url);
    expect(await database.count('migration', '1 = 1')).toBe(SCHEMA_VERSION);
    const account = await addAccount(store, 'acme');
    await load(store, account, partner, [{ id: 1, name: 'A' }, { name: 'Große STRAßE 7' }]);
    const plan = planned(planList(partner, { values: { filter: 'name*straße' }, continuations: [] }));
    expect(await listPage(store, account.id, plan)).toMatchObject({ total: 1 });
    await store.close();
    await database.drop();
  });
});
