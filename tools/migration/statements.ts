/** The SQL that closes a difference between catalog and database, for both engines. It ends up frozen in a migration. */

import type { Field } from '../../src/catalog/resource.ts';
import { postgresDialect } from '../../src/store/postgres/dialect.ts';
import { type Column, columnsOf, foldedColumn, searchedTexts, textColumn } from '../../src/store/sql/columns.ts';
import type { Dialect } from '../../src/store/sql/dialect.ts';
import { sqliteDialect } from '../../src/store/sqlite/dialect.ts';
import { ID_BITS, LAST_ACCOUNT, LAST_ID } from '../../src/store/sqlite/search.ts';
import { type Difference, UnsupportedChange } from './schema.ts';

export function sqliteStatements(differences: readonly Difference[]): readonly string[] {
  const statistics = differences.flatMap(sqliteStatistics);
  return [
    ...differences.flatMap((difference) => [
      ...tableStatements(difference, sqliteDialect),
      ...valueIndexes(difference),
      ...(difference.searched.length > 0 ? searchIndex(difference) : []),
    ]),
    // Read again, so that the statistics take effect at once.
    ...(statistics.length === 0 ? [] : [...statistics, 'ANALYZE sqlite_schema']),
  ];
}

export function postgresStatements(differences: readonly Difference[]): readonly string[] {
  const searches = differences.flatMap(trigramIndexes);
  return [
    ...differences.flatMap((difference) => [
      ...tableStatements(difference, postgresDialect),
      ...valueIndexes(difference),
    ]),
    ...(searches.length === 0 ? [] : [withExtensions(searches)]),
  ];
}

function tableStatements({ resource, isNew, columns }: Difference, dialect: Dialect): readonly string[] {
  const added = columnsOf(resource).filter(({ name }) => columns.includes(name));
  if (!isNew)
    return added.map((column) => `ALTER TABLE ${resource.name} ADD COLUMN ${definition(column, dialect, true)}`);
  const { integer } = dialect.columnTypes;
  const definitions = [
    `account_id ${integer} NOT NULL`,
    ...added.map((column) => definition(column, dialect, false)),
    `revision ${integer} NOT NULL`,
    'PRIMARY KEY (account_id, id)',
  ];
  const options = dialect === sqliteDialect ? ' STRICT, WITHOUT ROWID' : '';
  return [
    `CREATE TABLE ${resource.name} (\n      ${definitions.join(',\n      ')}\n    )${options}`,
    `INSERT INTO ledger (account_id, resource, revision, rows, last_id, generation, began)
      SELECT id, '${resource.name}', 0, 0, 0, (SELECT id FROM generation ORDER BY number DESC LIMIT 1), 0 FROM account`,
  ];
}

/** Existing records need a value as well: null, or the default. */
function definition({ name, storage, field, stored }: Column, dialect: Dialect, needsDefault: boolean): string {
  const type = `${name} ${dialect.columnTypes[storage]}`;
  if (field.nullable) return type;
  return needsDefault
    ? `${type} NOT NULL DEFAULT ${literal(dialect.encode(stored(defaultOf(field))))}`
    : `${type} NOT NULL`;
}

function defaultOf({ name, initial }: Field) {
  if (initial.kind === 'value' && initial.value !== null) return initial.value;
  throw new UnsupportedChange(
    `Existing records have no value for ${name}: declare it with nullable() or withDefault().`,
  );
}

function literal(value: string | number | null): string {
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

function valueIndexes({ resource: { name }, indexed }: Difference): readonly string[] {
  return indexed.map((column) => `CREATE INDEX ${name}_${column} ON ${name} (account_id, ${column}, id)`);
}

/** What SQLite's planner is to expect: a large account in a large table, and some records per value. */
function sqliteStatistics({ resource: { name }, isNew, indexed }: Difference): readonly string[] {
  const statistic = (index: string, stat: string) =>
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES ('${name}', '${index}', '${stat}')`;
  return [
    ...(isNew && indexed.length > 0 ? [statistic(name, '1000000 100000 1')] : []),
    ...indexed.map((column) => statistic(`${name}_${column}`, '1000000 100000 100 1')),
  ];
}

/** As src/store/sqlite/search.ts describes it. A search index that lacks columns is built anew, by the process that writes next. */
function searchIndex({ resource, isNew }: Difference): readonly string[] {
  const { name } = resource;
  const texts = searchedTexts(resource);
  const index = `${name}_search`;
  const columns = texts.map((text) => text.name).join(', ');
  const sources = [...new Set(texts.map(({ field }) => foldedColumn(field)))];
  const rowid = (row: string) => `(${row}.account_id << ${ID_BITS}) | ${row}.id`;
  const isIndexed = (row: string) =>
    `${row}.id <= (SELECT indexed_id FROM ledger WHERE account_id = ${row}.account_id AND resource = '${name}')`;
  const insertion = `INSERT INTO ${index} (rowid, ${columns}) VALUES (${rowid('NEW')}, ${texts.map(({ field, form }) => textColumn(field, form, 'NEW.')).join(', ')});`;
  const deletion = `DELETE FROM ${index} WHERE rowid = ${rowid('OLD')};`;
  return [
    ...(isNew
      ? []
      : [
          `DROP TABLE IF EXISTS ${index}`,
          ...['insert', 'delete', 'update'].map((event) => `DROP TRIGGER IF EXISTS ${index}_${event}`),
          `UPDATE ledger SET indexed_id = 0 WHERE resource = '${name}'`,
        ]),
    `CREATE VIRTUAL TABLE ${index} USING fts5 (
      ${columns},
      content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
    )`,
    `CREATE TRIGGER ${index}_insert AFTER INSERT ON ${name}
      WHEN ${isIndexed('NEW')}
      BEGIN
        ${insertion}
      END`,
    `CREATE TRIGGER ${index}_delete AFTER DELETE ON ${name}
      WHEN OLD.id <= ${LAST_ID} AND OLD.account_id <= ${LAST_ACCOUNT}
      BEGIN
        ${deletion}
      END`,
    `CREATE TRIGGER ${index}_update AFTER UPDATE OF ${sources.join(', ')} ON ${name}
      WHEN ${isIndexed('NEW')}
        AND (${sources.map((column) => `OLD.${column} IS NOT NEW.${column}`).join(' OR ')})
      BEGIN
        ${deletion}
        ${insertion}
      END`,
  ];
}

/** On PostgreSQL every searched column has an index of its own. */
function trigramIndexes({ resource, searched }: Difference): readonly string[] {
  const added = searchedTexts(resource).filter(({ name }) => searched.includes(name));
  return added.map(({ name, field, form }) => {
    // Within a literal.
    const text = textColumn(field, form).replaceAll("'", "''");
    return `CREATE INDEX ${resource.name}_${name}_search ON ${resource.name} USING gin (account_id, (${text}) %I.gin_trgm_ops)`;
  });
}

/** Without the extensions, searches read all records. */
function withExtensions(indexes: readonly string[]): string {
  return `DO $$ DECLARE place name; BEGIN
      CREATE EXTENSION IF NOT EXISTS pg_trgm;
      CREATE EXTENSION IF NOT EXISTS btree_gin;
      SELECT nspname INTO place FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm';
${indexes.map((index) => `      EXECUTE format('${index}', place);`).join('\n')}
    EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file OR undefined_object THEN
      RAISE NOTICE 'pg_trgm and btree_gin are not available';
    END $$`;
}
