/** Records as text, built by the database: JSON, or lines of NDJSON and CSV, or rows of a sheet. */

import { memoize } from '../../catalog/memoize.ts';
import type { Field } from '../../catalog/resource.ts';
import { storageOf, valueTypes } from '../../catalog/value-types.ts';
import type { ExportPlan } from '../../plan/plan.ts';
import type { Dialect } from './dialect.ts';
import { sheetRow } from './sheet-row.ts';
import { concat, type Sql, sql, trusted } from './sql.ts';
import { flatten } from './statement.ts';

/** `{"id":7,"name":"Chair"}`: constant keys and JSON values. */
export function recordJson(fields: readonly Field[], dialect: Dialect): Sql {
  return jsonOfFields(dialect)(fields);
}

/** Most requests select all fields, which is the same array every time. */
const jsonOfFields = memoize((dialect: Dialect) =>
  memoize((fields: readonly Field[]) => flatten(concat([...jsonMembers(fields, dialect), sql`'}'`]), dialect)),
);

/** Includes the line break. */
export function exportLine(fields: readonly Field[], format: ExportPlan['format'], dialect: Dialect): Sql {
  if (format.kind === 'xlsx') return sheetRow(fields, dialect);
  if (format.kind === 'ndjson') return concat([...jsonMembers(fields, dialect), trusted("'}\n'")]);
  const cells = fields.flatMap((field, index) => [
    ...(index === 0 ? [] : [sql`','`]),
    csvCell(field, format.excelSafe, dialect),
  ]);
  return concat([...cells, trusted("'\r\n'")]);
}

/** `[7,"Chair"]`: what an index in memory is made of. */
export function recordValues(fields: readonly Field[], dialect: Dialect): Sql {
  const values = fields.flatMap((field, index) => {
    const storage = storageOf(field);
    const value = storage === 'text' ? dialect.jsonString(field.column) : dialect.indexed(field.column, storage);
    return [trusted(index === 0 ? "'['" : "','"), field.nullable ? sql`coalesce(${value}, 'null')` : value];
  });
  return concat([...values, sql`']'`]);
}

function jsonMembers(fields: readonly Field[], dialect: Dialect): readonly Sql[] {
  return fields.flatMap((field, index) => [
    trusted(`'${index === 0 ? '{' : ','}"${field.name}":'`),
    jsonValue(field, dialect),
  ]);
}

function jsonValue(field: Field, dialect: Dialect): Sql {
  const value = nonNullJson(field, dialect);
  return field.nullable ? sql`coalesce(${value}, 'null')` : value;
}

function nonNullJson(field: Field, dialect: Dialect): Sql {
  const storage = storageOf(field);
  if (storage === 'text') return dialect.jsonString(field.column);
  const printed = dialect.print(field.column, storage);
  return storage === 'timestamp' ? sql`'"' || ${printed} || '"'` : printed;
}

/** Null is an empty cell. Text is quoted, so that the empty text is not. */
function csvCell(field: Field, excelSafe: boolean, dialect: Dialect): Sql {
  const storage = storageOf(field);
  if (excelSafe && storage === 'timestamp') return spreadsheetTime(dialect.print(field.column, storage));
  if (!valueTypes[field.type].isQuoted) return dialect.print(field.column, storage);
  const column = trusted(field.column);
  const escaped = sql`replace(${column}, '"', '""')`;
  if (!excelSafe) return sql`'"' || ${escaped} || '"'`;
  return sql`'"' || CASE WHEN ${looksLikeFormula(column)} THEN '''' ELSE '' END || ${escaped} || '"'`;
}

/**
 * `2026-01-31 09:30:00` is a date and time to Excel and LibreOffice, whatever their language; with `T` and `Z` it is text. A
 * fraction of a second would be text where decimals have a comma, and elsewhere Excel would show minutes and seconds alone.
 */
function spreadsheetTime(printed: Sql): Sql {
  return sql`replace(substr(${printed}, 1, ${trusted(String('yyyy-mm-ddThh:mm:ss'.length))}), 'T', ' ')`;
}

/** What spreadsheets take for the start of a formula, in both widths. */
const FORMULA_STARTS = ['=', '+', '-', '@', '\t', '\r', '\n', '\uff1d', '\uff0b', '\uff0d', '\uff20'];

function looksLikeFormula(column: Sql): Sql {
  return sql`substr(${column}, 1, 1) IN (${trusted(FORMULA_STARTS.map((start) => `'${start}'`).join(', '))})`;
}
