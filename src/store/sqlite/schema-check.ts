/** Whether the file has the tables, indexes and triggers that the migrations create. */

import { DatabaseSync } from 'node:sqlite';
import { type DatabaseCheck, type Finding, findings } from '../check/check.ts';
import type { Engine } from '../engine/engine.ts';
import { MIGRATION_TABLE, migrations } from '../migrations/migrations.ts';
import { textOf } from '../sql/row.ts';

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/** Indexes of primary keys have no SQL, and are checked with their tables. */
const OBJECTS = 'SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL';

export const schema: DatabaseCheck = {
  scope: 'database',
  name: 'schema',
  verifies: 'the tables, indexes and triggers of the migrations exist; among them, those that protect the audit trail',
  repairs: 'creates indexes and triggers; a table that is missing or different has to be restored',
  async find(engine) {
    return findings((await differences(engine)).map(({ finding }) => finding));
  },
  async repair(engine) {
    const wrong = (await differences(engine)).filter(({ expected: { type } }) => type !== 'table');
    await engine.write(
      wrong.flatMap(({ expected: { type, name, sql } }) =>
        [`DROP ${type} IF EXISTS ${name}`, sql].map((text) => ({ text, parameters: [] })),
      ),
    );
  },
};

async function differences(
  engine: Engine,
): Promise<readonly { readonly expected: SchemaObject; readonly finding: Finding }[]> {
  const rows = await engine.reserved({ text: OBJECTS, parameters: [] });
  const actual = new Map(rows.map((row) => [`${textOf(row, 'type')} ${textOf(row, 'name')}`, textOf(row, 'sql')]));
  return expectedObjects().flatMap((object) => {
    const name = `${object.type} ${object.name}`;
    const found = actual.get(name);
    if (found !== undefined && normalized(found) === normalized(object.sql)) return [];
    return [
      {
        expected: object,
        finding: { detail: `${name} ${found === undefined ? 'is missing' : 'is not what it should be'}` },
      },
    ];
  });
}

let expected: readonly SchemaObject[] | undefined;

function expectedObjects(): readonly SchemaObject[] {
  expected ??= migratedObjects();
  return expected;
}

/** Those of a database in memory that has been through all migrations. */
function migratedObjects(): readonly SchemaObject[] {
  const database = new DatabaseSync(':memory:');
  try {
    database.exec(MIGRATION_TABLE.sqlite);
    // Other steps change rows, and there are none.
    const steps = migrations.flatMap(({ sqlite }) => sqlite.filter((step) => typeof step === 'string'));
    for (const step of steps) database.exec(step);
    return database
      .prepare(OBJECTS)
      .all()
      .map((row) => ({ type: textOf(row, 'type'), name: textOf(row, 'name'), sql: textOf(row, 'sql') }));
  } finally {
    database.close();
  }
}

/** Earlier versions may have laid it out differently. */
function normalized(sql: string): string {
  return sql.replaceAll(/\s+/g, ' ').replace('IF NOT EXISTS ', '');
}
