/** Rows in the text format of COPY: one line each, tab-separated, `\N` for null. */

import type { StagedRow } from '../sql/dialect.ts';

export function copyText(rows: readonly StagedRow[]): string {
  return rows
    .map((row) => `${row.map((cell) => (cell === null ? '\\N' : escapeCell(String(cell)))).join('\t')}\n`)
    .join('');
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeCell(text: string): string {
  return /[\\\n\r\t]/.test(text)
    ? text.replaceAll(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character)
    : text;
}
