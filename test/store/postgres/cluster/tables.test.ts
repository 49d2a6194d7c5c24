/** docs/postgresql.md says of every table where it is on a cluster. */

import { expect, inject, test } from 'vitest';
import { EXPECTED_KIND, PRIMARY_KEYS } from '../../../../src/store/postgres/cluster/tables.ts';
import { expectedTables } from '../../../../src/store/postgres/schema-check.ts';
import { readDocument, tableBelow } from '../../../docs/markdown.ts';
import { makePostgresDatabase } from '../../../support/engines.ts';
import { queryOnce } from '../../../support/postgres-connection.ts';

test('the tables of the docs are those of the schema', async () => {
  const database = await makePostgresDatabase(inject('postgresUrl'), inject('postgresTemplate'));
  const tables = expectedTables().map((name) => `'${name}'`);
  const rows = await queryOnce(
    database.url,
    `SELECT relname::text AS name, ${EXPECTED_KIND} AS kind FROM ${PRIMARY_KEYS}
      WHERE relname IN (${tables.join(', ')}) AND pg_class.oid = to_regclass(relname::text)`,
  );
  await database.drop();
  expect(rows).toHaveLength(tables.length);
  const named = (kind: string) => rows.flatMap((row) => (row['kind'] === kind ? [String(row['name'])] : [])).toSorted();
  const documented = tableBelow(readDocument('docs/postgresql.md'), '### Setting up a cluster').filter(
    ([, where]) => where,
  );
  expect(
    documented.map(([names = '']) => [...names.matchAll(/`(\w+)`(?=[,:]|$)/g)].map(([, name]) => name).toSorted()),
  ).toEqual([named('distributed'), named('copied'), named('coordinator')]);
});
