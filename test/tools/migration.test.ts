/** `npm run migration`, and what it is for: the migrations make the tables that the catalog declares. */

import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import { product } from '../../src/catalog/product.ts';
import { type Field, indexed, nullable, type Resource, required, searched } from '../../src/catalog/resource.ts';
import { postgresDialect } from '../../src/store/postgres/dialect.ts';
import { columnsOf, foldedColumn } from '../../src/store/sql/columns.ts';
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts';
import { declaredTable, differenceOf, existingTable, type Table } from '../../tools/migration/schema.ts';
import { statementsFor } from '../../tools/migration/statements.ts';
import { engines, type OpenedStore, openTestStore } from '../support/engines.ts';
import { queryOnce } from '../support/postgres-connection.ts';

const [sqlite, postgresql] = engines;
const opened: OpenedStore[] = [];
beforeAll(async () => {
  for (const engine of engines) opened.push(await openTestStore(engine));
});
afterAll(async () => {
  for (const { close } of opened) await close();
});

/** The order of columns and indexes does not matter to any statement. */
const sorted = ({ name, columns, indexed, searched }: Table) => ({
  name,
  columns: columns.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  indexed: indexed.toSorted(),
  searched: searched.toSorted(),
});

describe.each(builtInCatalog.resources)('the table of $name is what the catalog declares', (resource) => {
  test(`on ${sqlite?.name}`, () => {
    const database = new DatabaseSync(opened[0]?.database.url ?? '', { readOnly: true });
    const existing = existingTable(database, resource.name);
    database.close();
    expect(existing && sorted(existing)).toEqual(sorted(declaredTable(resource)));
  });

  test(`on ${postgresql?.name}`, async () => {
    const url = opened[1]?.database.url ?? '';
    const columns = await queryOnce(
      url,
      `SELECT column_name AS name, is_nullable = 'YES' AS nullable,
          data_type || coalesce(' COLLATE "' || collation_name || '"', '') AS type
        FROM information_schema.columns WHERE table_name = '${resource.name}'`,
    );
    const types: Record<string, string> = { 'timestamp with time zone': 'timestamptz' };
    expect(
      new Map(columns.map(({ name, nullable, type }) => [name, { nullable, type: types[String(type)] ?? type }])),
    ).toEqual(
      new Map([
        ['account_id', { nullable: false, type: 'bigint' }],
        ['revision', { nullable: false, type: 'bigint' }],
        ...columnsOf(resource).map(
          ({ name, storage, field }) =>
            [name, { nullable: field.nullable, type: postgresDialect.columnTypes[storage] }] as const,
        ),
      ]),
    );
    const indexes = await queryOnce(
      url,
      `SELECT substring(indexdef from 'USING (.*?)(?: INCLUDE|$)') AS columns FROM pg_indexes WHERE tablename = '${resource.name}'`,
    );
    const declared = (isDeclared: (field: Field) => true | undefined) => resource.fields.filter(isDeclared);
    expect(indexes.map((index) => String(index['columns'])).toSorted()).toEqual(
      [
        'btree (account_id, id)',
        'btree (account_id, revision, id)',
        ...declared((field) => field.indexed).map(({ name }) => `btree (account_id, ${name}, id)`),
        ...declared((field) => field.searched).map((field) => `gin (account_id, ${foldedColumn(field)} gin_trgm_ops)`),
        ...declared((field) => field.code).map(
          (field) =>
            `gin (account_id, replace(replace(replace(replace(${foldedColumn(field)}, '-'::text, ''::text), '/'::text, ''::text), '.'::text, ''::text), ' '::text, ''::text) gin_trgm_ops)`,
        ),
      ].toSorted(),
    );
  });
});

describe('a difference', () => {
  const existing = declaredTable(product);
  const withField = (field: Field): Resource => ({ ...product, fields: [...product.fields, field] });
  const withChanged = (name: string, change: Partial<Field>): Resource => ({
    ...product,
    fields: product.fields.map((field) => (field.name === name ? { ...field, ...change } : field)),
  });

  test('is undefined if the table is what the catalog declares', () => {
    expect(differenceOf(product, existing)).toBeUndefined();
  });

  test('lists missing columns and indexes', () => {
    expect(
      differenceOf(withField(searched(indexed(nullable('nickname', 'Nickname', 'text', '')))), existing),
    ).toMatchObject({
      isNew: false,
      columns: ['nickname', 'nickname_fold'],
      indexed: ['nickname'],
      searched: ['nickname_fold'],
    });
  });

  test('lists indexes on existing columns', () => {
    const difference = differenceOf(withChanged('active', { indexed: true }), existing);
    expect(difference).toMatchObject({ columns: [], indexed: ['active'], searched: [] });
    const statement = 'CREATE INDEX IF NOT EXISTS product_active ON product (account_id, active, id)';
    expect(statementsFor(difference ? [difference] : [], sqliteDialect)).toContain(statement);
    expect(statementsFor(difference ? [difference] : [], postgresDialect)).toEqual([statement]);
  });

  test.each([
    ['a removed column', { ...product, fields: product.fields.slice(0, -1) }, 'the column write_date is removed'],
    ['another type', withChanged('active', { type: 'text' }), 'active changes its type'],
    ['a column that is no longer nullable', withChanged('categ_id', { nullable: false }), 'whether it is nullable'],
  ])('cannot be derived for %s', (_, resource, message) => {
    expect(() => differenceOf(resource, existing)).toThrow(message);
  });

  test('has no value for existing records in a required field', () => {
    const difference = differenceOf(withField(required('nickname', 'Nickname', 'text', '')), existing);
    expect(() => statementsFor(difference ? [difference] : [], sqliteDialect)).toThrow(
      'Existing records have no value for nickname: declare it with nullable() or withDefault().',
    );
  });
});
