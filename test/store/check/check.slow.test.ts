/** `stockbook check`: every kind of damage is found, repaired if it can be derived, and then gone. */

import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { product } from '../../../src/catalog/product.ts';
import { ACCOUNT_TABLES } from '../../../src/store/sql/account-tables.ts';
import { engines, openTestStore, sqlite, type TestDatabase, type TestEngine } from '../../support/engines.ts';
import { addAccount, type Fixture, fill, load, NOW, newKey, recordsIn } from '../../support/fixture.ts';
import { sharedStore } from '../../support/shared.ts';
import { type Damage, damages } from './damages.ts';

/** Checks whose findings affect no response, so that a repair needs no other revision. */
const INVISIBLE = ['idempotency keys', 'orphans', 'schema', 'storage'];

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

  test.each(possible)('is found and repaired: $what', async (row) => {
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

    expect((await problems(true)).filter(({ remaining }) => remaining > 0)).toEqual([]);
    expect(await problems(false)).toEqual([]);
    const repaired = await versionOfProducts();
    expect(repaired?.rows).toBe(await opened.database.count('product', `account_id = ${fixture.acme.id}`));
    if (INVISIBLE.includes(row.check)) expect(repaired).toEqual(damaged);
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
        await store.keys.add(newKey('key', lost));
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
    const { records } = await opened.page(fixture.acme, product, { filter: 'name*oak', sort: 'name' });
    expect(recordsIn(records).map(({ name }) => name)).toEqual(['Oak Chair', 'oak table']);
    expect(await opened.create(fixture.acme, 'Z')).toEqual({ id: 4 });
    expect(await opened.load(fixture.acme, product, [{ name: 'New' }])).toMatchObject({ created: 1 });
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
  for (const damaged of ['product_default_code', 'partner_search'])
    expect(found).toContainEqual(expect.stringContaining(damaged));
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
