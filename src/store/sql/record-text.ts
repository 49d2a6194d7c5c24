/** Records as text, put together by the database: JSON, or lines of CSV. */

import type { Field } from '../../catalog/resource.ts';
import type { ExportPlan } from '../../plan/plan.ts';
import type { Dialect } from './dialect.ts';
import { madeOnce } from './made-once.ts';
import { join, type Sql, sql, trusted } from './sql.ts';
import { inOnePiece } from './statement.ts';

/** `{"id":7,"name":"Chair"}`: constant keys and JSON values. */
export function recordJson(fields: readonly Field[], dialect: Dialect): Sql {
  return jsonOfFields(dialect)(fields);
}

/** Most requests take all the fields. */
const jsonOfFields = madeOnce((dialect: Dialect) =>
  madeOnce((fields: readonly Field[]) => inOnePiece(sql`concat(${jsonMembers(fields, dialect)}, '}')`, dialect)),
);

/** With the line break that ends it. */
export function exportLine(fields: readonly Field[], format: ExportPlan['format'], dialect: Dialect): Sql {
  if (format.kind === 'ndjson') return sql`concat(${jsonMembers(fields, dialect)}, ${trusted("'}\n'")})`;
  const cells = fields.map((field) => csvCell(field, format.excelSafe, dialect));
  return sql`concat(${join(cells, ", ',', ")}, ${trusted("'\r\n'")})`;
}

function jsonMembers(fields: readonly Field[], dialect: Dialect): Sql {
  const members = fields.map(
    (field, index) => sql`${trusted(`'${index === 0 ? '{' : ','}"${field.name}":'`)}, ${dialect.json(field)}`,
  );
  return join(members, ', ');
}

/** Null is an empty cell; text is in quotes, so that the empty text is not. Whatever else there is needs none. */
function csvCell(field: Field, excelSafe: boolean, dialect: Dialect): Sql {
  const column = trusted(field.name);
  switch (field.type) {
    case 'text': {
      const quoted = sql`replace(${column}, '"', '""')`;
      const guard = sql`CASE WHEN ${startsLikeFormula(column)} THEN '''' ELSE '' END`;
      return excelSafe ? sql`'"' || ${guard} || ${quoted} || '"'` : sql`'"' || ${quoted} || '"'`;
    }
    case 'timestamp':
      return dialect.timestamp(field.name);
    default:
      return field.nullable
        ? sql`CASE WHEN ${column} IS NOT NULL THEN ${dialect.json(field)} END`
        : dialect.json(field);
  }
}

/** What spreadsheets take for the beginning of a formula, in both widths. */
const FORMULA_STARTS = ['=', '+', '-', '@', '\t', '\r', '\n', '\uff1d', '\uff0b', '\uff0d', '\uff20'];

function startsLikeFormula(column: Sql): Sql {
  return sql`substr(${column}, 1, 1) IN (${trusted(FORMULA_STARTS.map((start) => `'${start}'`).join(', '))})`;
}
