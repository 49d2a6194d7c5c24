/** A service is started with a database of the first release, and prunes what expired long ago. */

import { product } from '../../../../src/catalog/product.ts';
import { MIGRATION_TABLE, migrations } from '../../../../src/store/migrations/migrations.ts';
import { sql } from '../../../../src/store/sql/sql.ts';
import { compile } from '../../../../src/store/sql/statement.ts';
import { recordSize } from '../../../../src/store/sql/storage-use.ts';
import { Connection } from '../../../../src/store/sqlite/connection.ts';
import { sqliteDialect } from '../../../../src/store/sqlite/dialect.ts';
import { times, type Workload } from './workload.ts';
import { create } from './writes.ts';

/** So many ids later than the others that the search index has to be completed. */
const LAST_ID = 2_000;

const LONG_AGO = '2020-01-01T00:00:00.000Z';

export const upgrades: Workload = {
  name: 'a database is upgraded',
  async prepare(path) {
    const connection = new Connection(path, { create: true });
    connection.transaction(() => {
      for (const statement of [MIGRATION_TABLE.sqlite, ...(migrations[0]?.sqlite ?? []), ...content()])
        connection.execute(statement);
      connection.read(
        compile(
          sql`UPDATE ledger SET bytes = coalesce((SELECT sum(${recordSize(product)}) FROM product), 0)
        WHERE resource = 'product'`,
          sqliteDialect,
        ),
      );
    });
    connection.close();
    return '';
  },
  async run(recording) {
    const server = await recording.serve();
    // What it does by itself.
    await recording.until(
      'NOT EXISTS (SELECT 1 FROM tombstone) AND NOT EXISTS (SELECT 1 FROM ledger WHERE indexed_id < last_id)',
    );
    const key = await recording.command(['key', 'add', 'acme', '--name', 'test']);
    await recording.send(server, key.trim(), create('After the upgrade', 'after'));
  },
};

/** An account with records, some of which were removed long ago. */
function content(): readonly string[] {
  const stamps = `'${LONG_AGO}', '${LONG_AGO}'`;
  return [
    `PRAGMA application_id = ${0x53_74_6b_62}`,
    `INSERT INTO migration (number, name, applied_at) VALUES (1, 'first schema', '${LONG_AGO}')`,
    "UPDATE counter SET value = 1 WHERE name = 'account'",
    `INSERT INTO account (id, name, created_at, access) VALUES (1, 'acme', '${LONG_AGO}', 1)`,
    ...['product', 'partner', 'company'].map((resource) => {
      const [revision, rows, lastId] = resource === 'product' ? [60, 50, LAST_ID] : [0, 0, 0];
      return `INSERT INTO ledger (account_id, resource, revision, rows, last_id, generation, began)
        SELECT 1, '${resource}', ${revision}, ${rows}, ${lastId}, id, 0 FROM generation`;
    }),
    ...times(
      50,
      (
        n,
      ) => `INSERT INTO product (account_id, id, name, name_fold, list_price, qty_available, active, create_date, write_date, revision)
        VALUES (1, ${n === 50 ? LAST_ID : n}, 'Product ${n}', 'product ${n}', 1, 1, 1, ${stamps}, ${n})`,
    ),
    ...times(
      10,
      (n) => `INSERT INTO tombstone (account_id, resource, id, revision, removed_at)
        VALUES (1, 'product', ${n + 50}, ${n + 50}, '${LONG_AGO}')`,
    ),
  ];
}
