/** What SQLite adds to tables, and removes from them. */

import type { Field, Resource } from '../../catalog/resource.ts';
import { foldedColumn, searchedTexts, textColumn } from '../sql/columns.ts';
import type { Dialect } from '../sql/dialect.ts';
import { columnNames, type TableDifference, type TableStatements } from '../sql/table-difference.ts';
import { tableStatements, valueIndex, valueIndexes } from '../sql/table-statements.ts';
import { ID_BITS, LAST_ACCOUNT, LAST_ID } from './search.ts';

export function additions(difference: TableDifference, dialect: Dialect): TableStatements {
  const expected = statistics(difference);
  return {
    // Searches name the columns of the index. It is empty at first.
    required: [
      ...tableStatements(difference, dialect),
      ...(difference.searched.length > 0 ? searchIndexStatements(difference) : []),
    ],
    indexes: [
      ...valueIndexes(difference),
      // Read again, so that the statistics take effect at once.
      ...(expected.length === 0 ? [] : [...expected, 'ANALYZE sqlite_schema']),
    ],
  };
}

/** A column must not be part of any index when it is dropped. `rest` is the resource without the field. */
export function removal(resource: Resource, field: Field, rest: Resource): readonly string[] {
  const { name } = resource;
  return [
    ...(field.indexed ? [`DROP INDEX IF EXISTS ${valueIndex(name, field.column)}`] : []),
    ...(field.searched ? searchIndexStatements({ resource: rest, isNew: false }) : []),
    ...columnNames(resource, field).map((column) => `ALTER TABLE ${name} DROP COLUMN ${column}`),
  ];
}

/** What SQLite's planner is to expect: a large account in a large table, and some records per value. */
function statistics({ resource: { name }, isNew, indexed }: TableDifference): readonly string[] {
  const statistic = (index: string, stat: string) =>
    `INSERT INTO sqlite_stat1 (tbl, idx, stat) SELECT '${name}', '${index}', '${stat}' WHERE NOT EXISTS (SELECT 1 FROM sqlite_stat1 WHERE idx = '${index}')`;
  return [
    ...(isNew && indexed.length > 0 ? [statistic(name, '1000000 100000 1')] : []),
    ...indexed.map((column) => statistic(valueIndex(name, column), '1000000 100000 100 1')),
  ];
}

/** As search.ts describes it. A search index that lacks columns is built anew, by the process that writes next. */
function searchIndexStatements({ resource, isNew }: Pick<TableDifference, 'resource' | 'isNew'>): readonly string[] {
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
