/**
 * Searching in text on SQLite: an index of trigrams beside each table, kept by triggers. Its row ids are account and id in
 * one number, so what an account has lies together there, and no search reads what others have.
 */

import type { Field } from '../../catalog/resource.ts';
import { foldedColumn } from '../sql/columns.ts';
import type { Scope, SearchedTable } from '../sql/dialect.ts';
import { bind, type Sql, sql, trusted } from '../sql/sql.ts';

/** Ids have so many bits of the row id, accounts have the rest. */
const ID_BITS = 40;
const LAST_ID = 2 ** ID_BITS - 1;
const LAST_ACCOUNT = 2 ** (63 - ID_BITS) - 1;

/** What is beyond is not in the index, and is looked through instead. */
function fits(row: string): string {
  return `${row}.id <= ${LAST_ID} AND ${row}.account_id <= ${LAST_ACCOUNT}`;
}

export function searchIndex({ table, columns }: SearchedTable): readonly string[] {
  const index = indexOf(table);
  const names = columns.join(', ');
  const rowid = (row: string) => `(${row}.account_id << ${ID_BITS}) | ${row}.id`;
  const values = (row: string) => [rowid(row), ...columns.map((column) => `${row}.${column}`)].join(', ');
  const add = `INSERT INTO ${index} (rowid, ${names}) VALUES (${values('NEW')})`;
  const remove = `DELETE FROM ${index} WHERE rowid = ${rowid('OLD')}`;
  const isChanged = columns.map((column) => `OLD.${column} IS NOT NEW.${column}`).join(' OR ');
  const trigger = (event: string, on: string, when: string, ...actions: string[]) =>
    `CREATE TRIGGER ${index}_${event} AFTER ${on} ON ${table} WHEN ${when} BEGIN ${actions.join('; ')}; END`;
  return [
    `CREATE VIRTUAL TABLE ${index} USING fts5 (${names}, content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1')`,
    `INSERT INTO ${index} (rowid, ${names}) SELECT ${values(table)} FROM ${table} WHERE ${fits(table)}`,
    trigger('insert', 'INSERT', fits('NEW'), add),
    trigger('delete', 'DELETE', fits('OLD'), remove),
    trigger('update', `UPDATE OF ${names}`, `${fits('NEW')} AND (${isChanged})`, remove, add),
  ];
}

/** A text of less than three characters has no trigram, and a field that is not searched has no index. */
export function contains(field: Field, folded: string, { table, own }: Scope): Sql {
  const column = trusted(foldedColumn(field));
  const text = bind('text', folded);
  const isFound = sql`instr(${column}, ${text}) > 0`;
  if (field.searched !== true || [...folded].length < 3) return isFound;
  const index = trusted(indexOf(table));
  const [bits, last] = [trusted(String(ID_BITS)), trusted(String(LAST_ID))];
  const phrase = bind('text', `${foldedColumn(field)} : "${folded.replaceAll('"', '""')}"`);
  return sql`id IN (
      SELECT rowid & ${last} FROM ${index} WHERE ${index} MATCH ${phrase}
        AND rowid BETWEEN ${own} << ${bits} AND (${own} << ${bits}) | ${last}
      UNION ALL
      SELECT id FROM ${trusted(table)} WHERE account_id = ${own} AND ${isFound}
        AND id > CASE WHEN ${own} <= ${trusted(String(LAST_ACCOUNT))} THEN ${last} ELSE 0 END
    )`;
}

function indexOf(table: string): string {
  return `${table}_search`;
}
