/** Released migrations never change, and databases from before the first release are refused. */

import { describe, expect, test } from 'vitest';
import { MIGRATION_TABLE, migrations, SCHEMA_VERSION } from '../../../src/store/migrations/migrations.ts';
import { FIRST_MIGRATION } from '../../../src/store/migrations/schema-version.ts';
import { engines, openDatabase } from '../../support/engines.ts';
import { NOW } from '../../support/fixture.ts';

test('migrations are numbered in order', () => {
  expect(migrations.map(({ number }) => number)).toEqual(migrations.map((_, index) => index + 1));
  expect(SCHEMA_VERSION).toBe(migrations.length);
});

/** Whitespace outside of string literals does not matter to SQL. */
const normalized = (steps: readonly string[]) => steps.map((step) => step.replaceAll(/\s+/g, ' '));

test.each(migrations)('migration $number ($name) is frozen', ({ sqlite, postgres }) => {
  expect({ sqlite: normalized(sqlite), postgres: normalized(postgres) }).toMatchSnapshot();
});

test('databases of a release are told by the name of its first migration', () => {
  expect(migrations[0]?.name).toBe(FIRST_MIGRATION);
});

describe.each(engines)('on $name', (engine) => {
  test('a database from before the first release is refused, and not changed', async () => {
    const database = await engine.makeDatabase();
    await database.execute(
      engine.name === 'SQLite' ? MIGRATION_TABLE.sqlite : MIGRATION_TABLE.postgres,
      `INSERT INTO migration VALUES (1, 'accounts and records', '${NOW}'), (2, 'search', '${NOW}')`,
    );
    await expect(openDatabase(database.url)).rejects.toThrow(/a development version of Stockbook/);
    expect(await database.count('migration', '1 = 1')).toBe(2);
    await database.drop();
  });

  test('a new database has no upgrade in its audit trail', async () => {
    const database = await engine.makeDatabase();
    const store = await openDatabase(database.url);
    for await (const entries of store.audit.entries({})) expect(entries).toEqual([]);
    await store.close();
    await database.drop();
  });
});
