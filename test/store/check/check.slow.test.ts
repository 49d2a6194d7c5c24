/** `stockbook check`: every kind of damage is found, repaired if it can be derived, and then gone. */

import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { partner } from '../../../src/catalog/partner.ts';
import { product } from '../../../src/catalog/product.ts';
import { planCreate } from '../../../src/plan/create.ts';
import { planList } from '../../../src/plan/list.ts';
import type { Finding } from '../../../src/store/check/findings.ts';
import { ACCOUNT_TABLES } from '../../../src/store/sql/account-tables.ts';
import { engines, openTestStore, sqlite, type TestDatabase, type TestEngine } from '../../support/engines.ts';
import { addAccount, type Fixture, fill, listPage, load, NOW, planned, recordsIn } from '../../support/fixture.ts';
import { sharedStore } from '../../support/shared.ts';

/** What is done behind the program's back, and what the check finds. `of` is acme's number. */
interface Damage {
  readonly what: string;
  readonly check: string;
  readonly on?: 'SQLite' | 'PostgreSQL';
  /** It cannot be done on a cluster. */
  readonly isOnOneServer?: true;
  damage(of: number): string | readonly string[];
  /** An index that is not told about it. */
  readonly unmaintained?: string;
  readonly found: readonly Partial<Finding>[] | number;
  /** Whether responses about acme's products may change, so that there has to be another revision. */
  readonly changesResponses?: false;
}

const KEY = {
  id: 'key',
  name: 'Key',
  secretHash: 'ab'.repeat(32),
  scopes: ['read'],
  createdAt: NOW,
  expiresAt: null,
  rateLimit: null,
} as const;

const acme = { account: 'acme', resource: 'product' };

const damages: readonly Damage[] = [
  {
    what: 'a ledger with too many rows',
    check: 'ledger rows',
    damage: (of) => `UPDATE ledger SET rows = rows + 5 WHERE account_id = ${of} AND resource = 'product'`,
    found: [{ ...acme, detail: 'has rows 18 in the ledger; the number of records is 13' }],
  },
  {
    what: 'a record that was removed in SQL',
    check: 'ledger rows',
    damage: (of) => `DELETE FROM product WHERE account_id = ${of} AND id = 15`,
    found: [{ ...acme, detail: 'has rows 13 in the ledger; the number of records is 12' }],
  },
  {
    what: 'a ledger whose last id is too small',
    check: 'ledger last ids',
    damage: (of) => `UPDATE ledger SET last_id = 3 WHERE account_id = ${of} AND resource = 'product'`,
    found: [{ ...acme, detail: 'has last_id 3 in the ledger; the largest id of a record or tombstone is 400' }],
  },
  {
    what: 'a record from the future',
    check: 'ledger revisions',
    damage: (of) => `UPDATE product SET revision = 1000 WHERE account_id = ${of} AND id = 2`,
    found: [{ ...acme, detail: expect.stringMatching(/^has revision \d+ in the ledger; .* is 1000$/) }],
  },
  {
    what: 'an account without a ledger',
    check: 'ledgers',
    damage: (of) => `DELETE FROM ledger WHERE account_id = ${of} AND resource = 'product'`,
    found: [{ ...acme, detail: 'has no ledger row' }],
  },
  {
    what: 'an account without a ledger, but with a history',
    check: 'ledgers',
    damage: (of) => [
      `INSERT INTO ledger_history (account_id, resource, began, generation)
        SELECT account_id, resource, revision + 7, generation FROM ledger WHERE account_id = ${of} AND resource = 'product'`,
      `DELETE FROM ledger WHERE account_id = ${of} AND resource = 'product'`,
    ],
    found: [{ ...acme, detail: 'has no ledger row' }],
  },
  {
    what: 'an account without a ledger, which had assigned ids to records that are gone',
    check: 'ledgers',
    damage: (of) => [
      `INSERT INTO idempotency_key (account_id, resource, key_hash, fingerprint, record_id, created_at)
        VALUES (${of}, 'product', 'lost', 'lost', 100000, '${NOW}')`,
      `DELETE FROM ledger WHERE account_id = ${of} AND resource = 'product'`,
    ],
    found: [{ ...acme, detail: 'has no ledger row' }],
  },
  {
    what: 'a generation that never was',
    check: 'generations',
    damage: (of) => `UPDATE ledger SET generation = 12345 WHERE account_id = ${of} AND resource = 'product'`,
    found: [{ ...acme, detail: 'is in a generation that the database does not know' }],
  },
  {
    what: 'a history that does not reach back to the oldest record',
    check: 'generations',
    damage: (of) =>
      `DELETE FROM ledger_history WHERE account_id = ${of} AND resource = 'product';
       UPDATE ledger SET began = revision + 1 WHERE account_id = ${of} AND resource = 'product'`,
    found: [{ ...acme, detail: 'has records from before its history' }],
  },
  {
    what: 'folded text that is wrong',
    check: 'folded text',
    damage: (of) =>
      `UPDATE product SET name_fold = 'wrong', default_code_fold = NULL WHERE account_id = ${of} AND id IN (1, 2)`,
    found: [1, 2].map((id) => ({ ...acme, id, detail: 'has a wrong folded form of name, default_code' })),
  },
  {
    what: 'a search index that lacks a record',
    check: 'search indexes',
    on: 'SQLite',
    damage: (of) => `DELETE FROM product_search WHERE rowid = (${of} << 40) | 2`,
    found: [{ ...acme, id: 2, detail: 'is not in the search index with its text' }],
  },
  {
    what: 'a search index that has another text of a record',
    check: 'search indexes',
    on: 'SQLite',
    damage: (of) =>
      `DELETE FROM product_search WHERE rowid = (${of} << 40) | 2;
       INSERT INTO product_search (rowid, name_fold, default_code_fold) VALUES ((${of} << 40) | 2, 'other', 'text')`,
    found: [{ ...acme, id: 2, detail: 'is not in the search index with its text' }],
  },
  {
    what: 'a search index that has another text of the same length',
    check: 'search indexes',
    on: 'SQLite',
    damage: (of) =>
      `DELETE FROM product_search WHERE rowid = (${of} << 40) | 2;
       INSERT INTO product_search (rowid, name_fold, default_code_fold) VALUES ((${of} << 40) | 2, 'steel sofa', 'dsk-1')`,
    found: [{ ...acme, id: 2, detail: 'is not in the search index with its text' }],
  },
  {
    what: 'a search index that has a record which does not exist',
    check: 'search indexes',
    on: 'SQLite',
    damage: (of) =>
      `INSERT INTO product_search (rowid, name_fold, default_code_fold) VALUES ((${of} << 40) | 999, 'other', 'text')`,
    found: [{ ...acme, id: 999, detail: 'is in the search index, and should not be' }],
  },
  {
    what: 'a search index that was not maintained',
    check: 'search indexes',
    on: 'PostgreSQL',
    damage: (of) =>
      `UPDATE product SET name = 'Velvet Sofa', name_fold = 'velvet sofa' WHERE account_id = ${of} AND id = 2`,
    unmaintained: 'product_name_fold_search',
    found: [{ ...acme, id: 2, detail: 'is not found by its name in the search index' }],
  },
  {
    what: 'a tombstone of a record that exists',
    check: 'tombstones',
    damage: (of) => `INSERT INTO tombstone VALUES (${of}, 'product', 2, 1, '${NOW}')`,
    found: [{ ...acme, id: 2, detail: 'exists, and has a tombstone' }],
  },
  {
    what: 'a tombstone without a revision',
    check: 'tombstones',
    damage: (of) => `INSERT INTO tombstone VALUES (${of}, 'product', 8, 0, '${NOW}')`,
    found: [{ ...acme, id: 8, detail: 'has a tombstone without a valid revision' }],
  },
  {
    what: 'idempotency keys of records that were never created',
    check: 'idempotency keys',
    damage: (of) =>
      `INSERT INTO idempotency_key VALUES (${of}, 'product', 'a', 'f', 9999, '${NOW}'), (${of}, 'product', 'b', 'f', 0, '${NOW}')`,
    found: [0, 9999].map((id) => ({
      ...acme,
      id,
      detail: 'is named by an idempotency key, but was never assigned',
    })),
    changesResponses: false,
  },
  {
    what: 'rows of an account that does not exist',
    check: 'orphans',
    damage: () =>
      `INSERT INTO tombstone VALUES (777, 'product', 1, 1, '${NOW}');
       INSERT INTO tombstone VALUES (777, 'product', 2, 1, '${NOW}');
       INSERT INTO ledger_history VALUES (778, 'product', 1, 1)`,
    found: 3,
    changesResponses: false,
  },
  {
    what: 'an index that is missing',
    check: 'schema',
    damage: () => 'DROP INDEX product_default_code',
    found: [{ detail: expect.stringMatching(/^index product_default_code is missing/) }],
    changesResponses: false,
  },
  {
    what: 'an audit trail without protection',
    check: 'schema',
    on: 'SQLite',
    damage: () => 'DROP TRIGGER audit_entry_delete',
    found: [{ detail: 'trigger audit_entry_delete is missing' }],
    changesResponses: false,
  },
  {
    what: 'a trigger that does something else',
    check: 'schema',
    on: 'SQLite',
    damage: () =>
      'DROP TRIGGER company_search_delete; CREATE TRIGGER company_search_delete AFTER DELETE ON company BEGIN SELECT 1; END',
    found: [{ detail: 'trigger company_search_delete is not what it should be' }],
    changesResponses: false,
  },
  {
    what: 'triggers and views of somebody else',
    check: 'schema',
    on: 'SQLite',
    damage: () =>
      `CREATE TRIGGER zz_silence BEFORE INSERT ON audit_entry BEGIN SELECT raise(ignore); END;
       CREATE VIEW "of ""keys" AS SELECT * FROM api_key`,
    found: [
      { detail: 'trigger zz_silence is not part of the schema' },
      { detail: 'view of "keys is not part of the schema' },
    ],
    changesResponses: false,
  },
  {
    what: 'a trigger of somebody else',
    check: 'schema',
    on: 'PostgreSQL',
    damage: () => [
      'CREATE FUNCTION silence() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
      'CREATE TRIGGER "zz ""silence" BEFORE INSERT ON audit_entry FOR EACH ROW EXECUTE FUNCTION silence()',
    ],
    found: [{ detail: 'trigger zz "silence on audit_entry is not part of the schema' }],
    changesResponses: false,
  },
  {
    what: 'an audit trail without protection',
    check: 'schema',
    on: 'PostgreSQL',
    damage: () => 'DROP TRIGGER audit_entry_change ON audit_entry',
    found: [{ detail: 'trigger audit_entry_change is missing or not valid' }],
    changesResponses: false,
  },
  ...[
    ['is disabled', 'ALTER TABLE audit_entry DISABLE TRIGGER audit_entry_change'],
    ['only works on replicas', 'ALTER TABLE audit_entry ENABLE REPLICA TRIGGER audit_entry_change'],
  ].map(
    ([what, statement = '']): Damage => ({
      what: `an audit trail whose protection ${what}`,
      check: 'schema',
      on: 'PostgreSQL',
      damage: () => statement,
      found: [{ detail: 'trigger audit_entry_change is missing or not valid' }],
      changesResponses: false,
    }),
  ),
  {
    what: 'an audit trail whose protection protects another table',
    check: 'schema',
    on: 'PostgreSQL',
    isOnOneServer: true,
    damage: () =>
      `DROP TRIGGER audit_entry_change ON audit_entry;
       CREATE TRIGGER audit_entry_change BEFORE TRUNCATE ON migration EXECUTE FUNCTION refuse_audit_change()`,
    found: [
      { detail: 'trigger audit_entry_change is missing or not valid' },
      { detail: 'trigger audit_entry_change on migration is not part of the schema' },
    ],
    changesResponses: false,
  },
  {
    what: 'a search index that is missing',
    check: 'schema',
    on: 'PostgreSQL',
    damage: () => 'DROP INDEX partner_email_fold_search',
    found: [{ detail: 'index partner_email_fold_search is missing or not valid' }],
    changesResponses: false,
  },
  {
    what: 'an index that lacks an entry, counted',
    check: 'storage',
    on: 'PostgreSQL',
    damage: (of) => `UPDATE product SET categ_id = 99 WHERE account_id = ${of} AND id = 3;
      UPDATE ledger SET bytes = bytes + 8 WHERE account_id = ${of} AND resource = 'product'`,
    unmaintained: 'product_default_code',
    found: [{ detail: 'index product_default_code: has 12 entries for the 13 rows of product' }],
    changesResponses: false,
  },
  {
    what: 'an index that lacks an entry, with amcheck',
    check: 'storage',
    on: 'PostgreSQL',
    isOnOneServer: true,
    damage: (of) => `CREATE EXTENSION amcheck; UPDATE product SET categ_id = 98 WHERE account_id = ${of} AND id = 3`,
    unmaintained: 'product_default_code',
    found: [{ detail: expect.stringMatching(/^index product_default_code: heap tuple .* lacks matching index tuple/) }],
    changesResponses: false,
  },
];

/** On a cluster, the tables that have the rows, and their indexes, have numbers after their names. */
async function inflict({ damage, unmaintained }: Damage, database: TestDatabase, of: number): Promise<void> {
  const maintain = async (value: boolean) => {
    if (unmaintained === undefined) return;
    await database.executeOnNodes(`UPDATE pg_index SET indisready = ${value}, indisvalid = ${value}
      FROM pg_class WHERE pg_class.oid = indexrelid AND relname ~ '^${unmaintained}(_[0-9]+)?$'`);
  };
  await maintain(false);
  const statements = damage(of);
  await database.execute(...(typeof statements === 'string' ? [statements] : statements));
  await maintain(true);
}

/** Until the returned function is called, the folded name of acme's first partner, which is wrong, cannot be repaired. */
async function refuseRepair(database: TestDatabase, engine: TestEngine['name'], of: number) {
  const [refuse, allow] =
    engine === 'SQLite'
      ? [
          `CREATE UNIQUE INDEX refused ON partner (account_id) WHERE account_id = ${of} AND id IN (1, 2) AND name_fold <> 'wrong'`,
          'DROP INDEX refused',
        ]
      : [
          'ALTER TABLE partner ADD CONSTRAINT refused CHECK (false) NOT VALID',
          'ALTER TABLE partner DROP CONSTRAINT refused',
        ];
  await database.execute(refuse);
  return () => database.execute(allow);
}

describe.each(engines)('on $name', (engine) => {
  const opened = sharedStore(engine);
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await fill(opened.store);
    // On SQLite, records up to this one join the search index.
    await load(opened.store, fixture.acme, product, [{ id: 400, name: `Last ${'and long '.repeat(3_000)}` }]);
  });

  const problems = async (repair: boolean) =>
    (await opened.store.check({ repair })).flatMap(({ check, found, remaining }) =>
      found.count === 0 ? [] : [{ check: check.name, found, remaining: remaining.count }],
    );

  const versionOfProducts = async () => (await opened.store.version(fixture.acme.id))?.ledger.get('product');

  test('a sound database has no problems, and a repair changes nothing', async () => {
    const before = await versionOfProducts();
    expect(await problems(false)).toEqual([]);
    expect(await problems(true)).toEqual([]);
    expect(await versionOfProducts()).toEqual(before);
  });

  const possible = damages.filter(
    ({ on = engine.name, isOnOneServer = false }) => on === engine.name && !(isOnOneServer && inject('isCluster')),
  );

  test.each(possible)('$what', async (row) => {
    await inflict(row, opened.database, fixture.acme.id);
    const damaged = await versionOfProducts();
    const found = (await problems(false)).filter(({ check }) => check === row.check);
    expect(found).toHaveLength(1);
    const expected =
      typeof row.found === 'number'
        ? { count: row.found }
        : { count: row.found.length, first: row.found.map((finding) => expect.objectContaining(finding)) };
    expect(found[0]?.found).toMatchObject(expected);
    expect(await versionOfProducts()).toEqual(damaged);

    expect((await problems(true)).map(({ remaining }) => remaining)).not.toContain(1);
    expect(await problems(false)).toEqual([]);
    const repaired = await versionOfProducts();
    expect(repaired?.rows).toBe(await opened.database.count('product', `account_id = ${fixture.acme.id}`));
    if (row.changesResponses === false) expect(repaired).toEqual(damaged);
    else expect(repaired).not.toEqual(damaged);
  });

  test.each(['records', 'keys'] as const)(
    '%s of an account that is lost are reported, and not removed',
    async (what) => {
      const { store, database } = opened;
      const lost = await addAccount(store, `lost with ${what}`);
      await load(store, lost, product, [{ name: 'A' }, { name: 'B' }]);
      await load(store, lost, product, [what === 'records' ? { id: 1 } : { id: 3, name: 'C' }], { replace: true });
      if (what === 'keys') {
        await store.keys.add({ ...KEY, account: lost.id });
        await database.execute(`DELETE FROM product WHERE account_id = ${lost.id};
        UPDATE ledger SET rows = 0, bytes = 0 WHERE account_id = ${lost.id}`);
      }
      const rowsOf = () =>
        Promise.all(ACCOUNT_TABLES.map((table) => database.count(table, `account_id IN (${lost.id}, 777)`)));
      const before = await rowsOf();
      await database.execute(`INSERT INTO tombstone VALUES (777, 'product', 1, 1, '${NOW}')`);
      const remove = `DELETE FROM account WHERE id = ${lost.id}`;
      if (engine.name === 'SQLite') await database.execute('PRAGMA foreign_keys = OFF', remove);
      else
        await database.execute(
          "SET citus.propagate_set_commands = 'local'",
          'BEGIN',
          'SET LOCAL session_replication_role = replica',
          remove,
          'COMMIT',
        );
      const [orphaned] = await problems(true);
      expect(orphaned?.check).toBe('orphans');
      expect(orphaned?.remaining).toBe(orphaned && orphaned.found.count - 1);
      expect(await rowsOf()).toEqual(before);
      expect(orphaned?.found.first.map(({ detail }) => detail)).toContain(
        `${what === 'records' ? '1 in product' : '1 in api_key'} of account number ${lost.id}, which does not exist`,
      );

      await database.execute(
        `INSERT INTO account (id, name, created_at, access) VALUES (${lost.id}, 'found again', '${NOW}', 1)`,
      );
      expect(await problems(false)).toEqual([]);
      await store.accounts.remove(lost.id);
    },
  );

  test('every repair is recorded at once, although a later one fails', async () => {
    const { store, database } = opened;
    const repairs = async () => {
      const found = [];
      for await (const entries of store.audit.entries({ action: 'database repaired' }))
        found.push(...entries.map(({ account, details }) => ({ account, ...JSON.parse(details) })));
      return found;
    };
    const before = await repairs();
    await database.execute(`INSERT INTO tombstone VALUES (777, 'product', 1, 1, '${NOW}');
      UPDATE ledger SET rows = rows + 1, last_id = 3 WHERE account_id = ${fixture.acme.id} AND resource = 'product';
      UPDATE partner SET name_fold = 'wrong' WHERE account_id = ${fixture.acme.id} AND id = 1`);
    const allow = await refuseRepair(database, engine.name, fixture.acme.id);
    await expect(store.check({ repair: true })).rejects.toThrow();
    expect((await repairs()).slice(before.length)).toEqual([
      { account: null, resource: null, repaired: { orphans: 1 } },
      { account: 'acme', resource: 'product', repaired: { 'ledger last ids': 1, 'ledger rows': 1 } },
    ]);
    await allow();
    expect(await problems(true)).toHaveLength(1);
    expect((await repairs()).slice(before.length + 2)).toEqual([
      { account: 'acme', resource: 'partner', repaired: { 'folded text': 1 } },
    ]);
    expect(await problems(true)).toEqual([]);
    expect(await repairs()).toHaveLength(before.length + 3);
  });

  test('what was repaired can be searched, sorted, created and loaded', async () => {
    const plan = planned(planList(product, { values: { filter: 'name*oak', sort: 'name' }, continuations: [] }));
    const page = await listPage(opened.store, fixture.acme.id, plan);
    expect(recordsIn(page?.records ?? '').map(({ name }) => name)).toEqual(['Oak Chair', 'oak table']);
    const created = await opened.store.records.create(
      { account: fixture.acme.id },
      planned(planCreate(partner, { name: 'Z' }, NOW)),
    );
    expect(created).toEqual({ id: 4 });
    expect(await load(opened.store, fixture.acme, product, [{ name: 'New' }])).toMatchObject({ created: 1 });
    expect(await problems(false)).toEqual([]);
  });
});

test('SQLite: an index that lacks an entry, and a search index whose pages are wrong', async () => {
  const { store, database, close } = await openTestStore(sqlite);
  await fill(store);
  const connection = new DatabaseSync(database.url, { defensive: false });
  const index = connection.prepare("SELECT * FROM sqlite_schema WHERE name = 'product_default_code'").get();
  connection.exec("PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'product_default_code'");
  connection.close();
  const other = new DatabaseSync(database.url, { defensive: false });
  other.exec("UPDATE product SET default_code = 'X' WHERE id = 2; PRAGMA writable_schema = ON");
  other
    .prepare('INSERT INTO sqlite_schema VALUES (?, ?, ?, ?, ?)')
    .run(...['type', 'name', 'tbl_name', 'rootpage', 'sql'].map((column) => index?.[column] ?? null));
  other.exec("UPDATE partner_search_data SET block = x'00' WHERE id > 10");
  other.close();
  const storage = async (repair: boolean) =>
    (await store.check({ repair })).find(({ check }) => check.name === 'storage');
  const found = (await storage(false))?.found.first.map(({ detail }) => detail) ?? [];
  expect(found.some((detail) => detail.includes('product_default_code'))).toBe(true);
  expect(found.some((detail) => detail.includes('partner_search'))).toBe(true);
  expect((await storage(true))?.remaining.count).toBe(0);
  for (const { found: all } of await store.check({ repair: false })) expect(all.count).toBe(0);
  await close();
});

test.each([
  ['is missing', 'DROP TABLE tombstone', 'table tombstone is missing'],
  [
    'is a view that never ends',
    `DROP TABLE product; CREATE VIEW product AS
       WITH RECURSIVE r (account_id, id) AS (SELECT 1, 1 UNION ALL SELECT 1, id + 1 FROM r) SELECT * FROM r`,
    'table product is missing',
  ],
])('SQLite: if a table %s, nothing else is checked', async (_, damage, detail) => {
  const { store, database, close } = await openTestStore(sqlite);
  await fill(store);
  await database.execute(damage);
  for (const repair of [false, true]) {
    const results = await store.check({ repair });
    expect(results.map(({ check }) => check.name)).toEqual(['storage', 'schema']);
    expect(results[1]?.remaining.first[0]).toEqual({ detail, isFatal: true });
  }
  await close();
});

describe.each(engines)('numbers out of range on $name', (engine) => {
  test.each([
    ['ledger', 'revision', 'ledger revisions'],
    ['ledger', 'rows', 'ledger rows'],
    ['partner', 'id', 'ledger last ids'],
    ['partner', 'revision', 'ledger revisions'],
  ])('%s.%s is reported', async (table, column, check) => {
    const { store, database, close } = await openTestStore(engine);
    const { acme: owner } = await fill(store);
    const row = table === 'ledger' ? "resource = 'partner'" : 'id = 1';
    await database.execute(
      `UPDATE ${table} SET ${column} = 9223372036854775807 WHERE account_id = ${owner.id} AND ${row}`,
    );
    for (const repair of [false, true]) {
      const results = await store.check({ repair });
      expect(results.find((each) => each.check.name === check)?.remaining.first).toContainEqual({
        account: 'acme',
        resource: 'partner',
        detail: 'cannot be read: a number is out of range',
        isFatal: true,
      });
    }
    await close();
  });
});
