/**
 * Records as rows of a sheet of Excel, built by the database: `<row><c><v>7</v></c>…</row>`. Cells say neither their row nor their column, which
 * follow from their order: that takes a third less time, and saves almost half of the bytes.
 */

import type { Field } from '../../catalog/resource.ts';
import { FIRST_SHEET_DATE, MAX_SHEET_INTEGER, sheetStyle, TEXT_STYLE } from '../../catalog/sheet.ts';
import { storageOf } from '../../catalog/value-types.ts';
import type { Dialect } from './dialect.ts';
import { concat, type Sql, sql, trusted } from './sql.ts';

/** Includes the line break. */
export function sheetRow(fields: readonly Field[], dialect: Dialect): Sql {
  const cells = fields.map((field) => {
    const cell = cellOf(field, dialect);
    return field.nullable ? sql`coalesce(${cell}, '<c/>')` : cell;
  });
  return concat([sql`'<row>'`, ...cells, trusted("'</row>\n'")]);
}

/** Null if the value is. The empty text is an empty cell: nobody could tell the two apart in a sheet. */
function cellOf(field: Field, dialect: Dialect): Sql {
  const column = trusted(field.column);
  const storage = storageOf(field);
  switch (storage) {
    case 'text':
      return sql`CASE ${column} WHEN '' THEN '<c/>' ELSE ${textCell(escaped(field, dialect))} END`;
    case 'timestamp':
      return sql`CASE WHEN ${column} < '${trusted(FIRST_SHEET_DATE)}' THEN ${textCell(dialect.print(field.column, storage))}
        ELSE ${numberCell(field, dialect.sheetDays(field.column))} END`;
    case 'integer':
      return sql`CASE WHEN ${column} BETWEEN ${trusted(`-${MAX_SHEET_INTEGER}`)} AND ${trusted(`${MAX_SHEET_INTEGER}`)}
        THEN ${numberCell(field, dialect.print(field.column, storage))} ELSE ${textCell(dialect.print(field.column, storage))} END`;
    case 'real':
      return numberCell(field, dialect.print(field.column, storage));
    case 'boolean':
      return sql`CASE WHEN ${column} THEN '<c t="b"><v>1</v></c>' WHEN NOT ${column} THEN '<c t="b"><v>0</v></c>' END`;
  }
}

function textCell(text: Sql): Sql {
  return sql`${trusted(`'<c s="${TEXT_STYLE}" t="inlineStr"><is><t xml:space="preserve">'`)} || ${text} || '</t></is></c>'`;
}

function numberCell(field: Field, number: Sql): Sql {
  const style = sheetStyle(field);
  return sql`${trusted(style === 0 ? `'<c><v>'` : `'<c s="${style}"><v>'`)} || ${number} || '</v></c>'`;
}

/** Almost no text has characters that XML cannot have. */
function escaped(field: Field, dialect: Dialect): Sql {
  const column = trusted(field.column);
  const harmless = REPLACED.reduce(
    (text, [character, code]) => sql`replace(${text}, ${quoted(character)}, ${quoted(code)})`,
    sql`replace(${column}, '_x', '_x005F_x')`,
  );
  return sql`CASE WHEN ${dialect.hasNoXmlForm(field.column)} THEN ${markup(harmless)} ELSE ${markup(column)} END`;
}

function markup(text: Sql): Sql {
  return sql`replace(replace(replace(${text}, '&', '&amp;'), '<', '&lt;'), '>', '&gt;')`;
}

/** XML 1.0 has no control characters but tab, line feed and carriage return, which it reads as a line feed, nor the last two of a plane. No text contains NUL. */
const REPLACED = [
  ...Array.from({ length: 31 }, (_, index) => index + 1).filter((code) => code !== 9 && code !== 10),
  0xfffe,
  0xffff,
].map((code) => [String.fromCharCode(code), `_x${code.toString(16).toUpperCase().padStart(4, '0')}_`] as const);

function quoted(constant: string): Sql {
  return trusted(`'${constant}'`);
}
