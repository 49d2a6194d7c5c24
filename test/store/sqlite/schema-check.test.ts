/** Whether a file has the schema that it should have. */

import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { builtInCatalog } from '../../../src/catalog/catalog.ts';
import { catalogWith, type OwnField } from '../../../src/catalog/own-field.ts';
import { MIGRATION_TABLE, migrations, SCHEMA_VERSION } from '../../../src/store/migrations/migrations.ts';
import type { Row } from '../../../src/store/sql/row.ts';
import { SCHEMA_OBJECTS, schemaDifferences } from '../../../src/store/sqlite/schema-check.ts';

const STAGE: OwnField = {
  name: 'x_stage',
  label: 'Stage',
  type: 'text',
  meaning: 'of its life',
  initial: "o'clock, (new)",
};
const WEIGHT: OwnField = { name: 'x_weight', label: 'Weight', type: 'number', meaning: 'in kilograms', initial: null };

function schemaWith(...statements: readonly string[]): readonly Row[] {
  const database = new DatabaseSync(':memory:');
  try {
    database.exec(MIGRATION_TABLE.sqlite);
    for (const step of [...migrations.flatMap(({ sqlite }) => sqlite), ...statements]) database.exec(step);
    return database.prepare(SCHEMA_OBJECTS.text).all();
  } finally {
    database.close();
  }
}

function differencesOf(rows: readonly Row[]): readonly string[] {
  const catalog = catalogWith(builtInCatalog, 1, new Map([['product', [STAGE, WEIGHT]]]));
  return schemaDifferences(rows, SCHEMA_VERSION, catalog).map(({ detail }) => detail);
}

const ADD_STAGE = `ALTER TABLE product ADD COLUMN own_x_stage TEXT NOT NULL DEFAULT 'o''clock, (new)'`;
const ADD_FOLD = `ALTER TABLE product ADD COLUMN own_x_stage_fold TEXT NOT NULL DEFAULT 'o''clock, (new)'`;
const ADD_WEIGHT = 'ALTER TABLE product ADD COLUMN own_x_weight REAL';

test('the order of columns does not matter, since a migration may add some after an operator did', () => {
  expect(differencesOf(schemaWith(ADD_STAGE, ADD_FOLD, ADD_WEIGHT))).toEqual([]);
  expect(differencesOf(schemaWith(ADD_WEIGHT, ADD_FOLD, ADD_STAGE))).toEqual([]);
});

test('a column that is missing, different or not ours does', () => {
  const wrong = ['table product is not what it should be'];
  expect(differencesOf(schemaWith(ADD_STAGE, ADD_FOLD))).toEqual(wrong);
  expect(differencesOf(schemaWith(ADD_STAGE, ADD_FOLD, `${ADD_WEIGHT} DEFAULT 1`))).toEqual(wrong);
  expect(differencesOf(schemaWith(ADD_STAGE, ADD_FOLD, ADD_WEIGHT, 'ALTER TABLE product ADD COLUMN a TEXT'))).toEqual(
    wrong,
  );
});
