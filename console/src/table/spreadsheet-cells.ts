/**
 * Records as cells for the clipboard, as tab-separated text and as an HTML table: spreadsheets prefer the latter. Numbers are in the reader's
 * locale, which is that of the spreadsheet, and times in the reader's time zone, as in the table.
 */

import type { Field } from '../../../src/catalog/resource.ts';
import { storageOf } from '../../../src/catalog/value-types.ts';
import type { RecordValues, Value } from '../data/records.ts';
import { localDigits } from '../format/local-number.ts';
import { localPartsOf } from '../format/local-time.ts';

interface Cell {
  readonly text: string;
  /** Whether it stays as it is: `00012` is not a number, and `1-2` not a day. */
  readonly isText: boolean;
}

/** The first row has the labels. */
type Cells = readonly (readonly Cell[])[];

export function cellsOf(fields: readonly Field[], records: readonly RecordValues[]): Cells {
  return [
    fields.map(({ label }) => ({ text: label, isText: true })),
    ...records.map((record) =>
      fields.map((field) => ({ text: cellOf(field, record[field.name] ?? null), isText: storageOf(field) === 'text' })),
    ),
  ];
}

export function tabSeparated(cells: Cells): string {
  return cells.map((row) => row.map(({ text }) => quotedIfNeeded(text)).join('\t')).join('\r\n');
}

export function htmlTable(cells: Cells): string {
  const rows = cells.map((row) => `<tr>${row.map(htmlCell).join('')}</tr>`);
  return `<table><tbody>${rows.join('')}</tbody></table>`;
}

/** `\\@` is the format of text. */
function htmlCell({ text, isText }: Cell): string {
  return `<td${isText ? ` style="mso-number-format:'\\@'"` : ''}>${escaped(text)}</td>`;
}

/** What spreadsheets take for the start of a formula, as in CSV for spreadsheets. */
const FORMULA = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

function cellOf(field: Field, value: Value): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  switch (storageOf(field)) {
    case 'real':
      return localDigits(String(value));
    case 'timestamp': {
      const { day, time = '' } = localPartsOf(String(value)) ?? {};
      return `${day} ${time.slice(0, 'hh:mm:ss'.length)}`;
    }
    case 'text':
      return FORMULA.test(String(value)) ? `'${value}` : String(value);
    default:
      return String(value);
  }
}

function quotedIfNeeded(cell: string): string {
  return /[\t\r\n"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character).replaceAll(/\r\n?|\n/g, '<br>');
}
