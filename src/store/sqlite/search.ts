/**
 * Searching in text on SQLite: an index of trigrams beside each table, kept by triggers. Its row ids are account and id in
 * one number, so what an account has lies together there, and no search reads what others have. The ledger says up to which
 * id records are in the index (`indexed_id`); those beyond are few, and are looked through.
 */

import type { Field } from '../../catalog/resource.ts';
import { foldedColumn } from '../sql/columns.ts';
import type { Scope, SearchedTable } from '../sql/dialect.ts';
import { bind, type Sql, sql, trusted } from '../sql/sql.ts';

// What these numbers say is in the triggers and row ids of databases that are in use: they never change.

/** New records join the index so many at a time, which costs a sixth of what it costs one by one. */
const JOIN_TOGETHER = 250;

/** Ids have so many bits of the row id, accounts have the rest. */
const ID_BITS = 40;
const LAST_ID = 2 ** ID_BITS - 1;
const LAST_ACCOUNT = 2 ** (63 - ID_BITS) - 1;

/** What is beyond never joins the index. */
function fits(row: string): string {
  return `${row}.id <= ${LAST_ID} AND ${row}.account_id <= ${LAST_ACCOUNT}`;
}

/** Each record joins the index as it is written. */
export function searchIndex({ table, columns }: SearchedTable): readonly string[] {
  const { index, names, add, remove, isChanged, trigger, entries } = partsOf({ table, columns });
  return [
    `CREATE VIRTUAL TABLE ${index} USING fts5 (${names}, content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1')`,
    `INSERT INTO ${index} (rowid, ${names}) ${entries} WHERE ${fits(table)}`,
    trigger('insert', 'INSERT', fits('NEW'), add),
    trigger('delete', 'DELETE', fits('OLD'), remove),
    trigger('update', `UPDATE OF ${names}`, `${fits('NEW')} AND (${isChanged})`, remove, add),
  ];
}

/** From now on records join the index together. All that are there are in it. */
export function joinTogether(tables: readonly SearchedTable[]): readonly string[] {
  return [
    'ALTER TABLE ledger ADD COLUMN indexed_id INTEGER NOT NULL DEFAULT 0',
    `UPDATE ledger SET indexed_id = min(last_id, ${LAST_ID}) WHERE account_id <= ${LAST_ACCOUNT}`,
    ...tables.flatMap(joiningTriggers),
  ];
}

function joiningTriggers({ table, columns }: SearchedTable): readonly string[] {
  const { index, names, add, remove, isChanged, trigger, entries } = partsOf({ table, columns });
  const ledgerRow = `account_id = NEW.account_id AND resource = '${table}'`;
  const indexed = `(SELECT indexed_id FROM ledger WHERE ${ledgerRow})`;
  return [
    `DROP TRIGGER ${index}_insert`,
    `DROP TRIGGER ${index}_update`,
    trigger(
      'insert',
      'INSERT',
      `${fits('NEW')} AND NEW.id - ${indexed} NOT BETWEEN 1 AND ${JOIN_TOGETHER - 1}`,
      // One alone where it is among those that are in the index; else all that have come since.
      `INSERT INTO ${index} (rowid, ${names}) ${entries}
        WHERE account_id = NEW.account_id AND id <= NEW.id AND id > min(NEW.id - 1, ${indexed})`,
      `UPDATE ledger SET indexed_id = NEW.id WHERE ${ledgerRow} AND indexed_id < NEW.id`,
    ),
    trigger('update', `UPDATE OF ${names}`, `NEW.id <= ${indexed} AND (${isChanged})`, remove, add),
  ];
}

function partsOf({ table, columns }: SearchedTable) {
  const index = indexOf(table);
  const names = columns.join(', ');
  const rowid = (row: string) => `(${row}.account_id << ${ID_BITS}) | ${row}.id`;
  const values = (row: string) => [rowid(row), ...columns.map((column) => `${row}.${column}`)].join(', ');
  return {
    index,
    names,
    add: `INSERT INTO ${index} (rowid, ${names}) VALUES (${values('NEW')})`,
    remove: `DELETE FROM ${index} WHERE rowid = ${rowid('OLD')}`,
    entries: `SELECT ${values(table)} FROM ${table}`,
    isChanged: columns.map((column) => `OLD.${column} IS NOT NEW.${column}`).join(' OR '),
    trigger: (event: string, on: string, when: string, ...actions: string[]) =>
      `CREATE TRIGGER ${index}_${event} AFTER ${on} ON ${table} WHEN ${when} BEGIN ${actions.join('; ')}; END`,
  };
}

/**
 * The index says which records have the trigrams of the text, in any order, and may take some rare characters for each other;
 * which of them have the text itself is seen in the records. As a phrase, a text that repeats itself would take it minutes. A
 * text of less than three characters has no trigram, and a field that is not searched has no index.
 */
export function contains(field: Field, folded: string, scope: Scope | undefined): Sql {
  const column = trusted(foldedColumn(field));
  const isFound = sql`instr(${column}, ${bind('text', folded)}) > 0`;
  const trigrams = trigramsOf(folded);
  if (scope === undefined || field.searched !== true || trigrams.length === 0) return isFound;
  const { table, own } = scope;
  const index = trusted(indexOf(table));
  const [bits, last] = [trusted(String(ID_BITS)), trusted(String(LAST_ID))];
  const terms = trigrams.map((trigram) => `"${trigram.replaceAll('"', '""')}"`).join(' AND ');
  return sql`(id IN (
      SELECT rowid & ${last} FROM ${index} WHERE ${index} MATCH ${bind('text', `${foldedColumn(field)} : (${terms})`)}
        AND rowid BETWEEN ${own} << ${bits} AND (${own} << ${bits}) | ${last} AND ${own} <= ${trusted(String(LAST_ACCOUNT))}
      UNION ALL
      SELECT id FROM ${trusted(table)} WHERE account_id = ${own}
        AND id > (SELECT indexed_id FROM ledger WHERE account_id = ${own} AND resource = ${trusted(`'${table}'`)})
    ) AND ${isFound})`;
}

/** So many are looked up at most: more hardly ever tell records apart that these do not. */
const MAX_TRIGRAMS = 16;

/** Different ones, from all parts of a long text, since many texts begin alike. */
function trigramsOf(text: string): readonly string[] {
  const characters = [...text];
  const places = characters.length - 2;
  const step = Math.max(1, Math.ceil(places / MAX_TRIGRAMS));
  const trigrams = new Set<string>();
  for (let at = 0; at < places; at += step) trigrams.add(characters.slice(at, at + 3).join(''));
  return [...trigrams];
}

function indexOf(table: string): string {
  return `${table}_search`;
}
