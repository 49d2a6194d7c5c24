/**
 * The Accept header to the form in which a list is wanted.
 *
 *     (none), *\/*, application/json       a page, as the contract shows it
 *     application/x-ndjson                lines of JSON
 *     text/csv; excel-safe=true           lines of CSV, guarded for spreadsheets
 */

import { mention } from '../problem/mention.ts';
import { Problem } from '../problem/problem.ts';

export type ListFormat = { readonly kind: 'json' } | LineFormat;

/** How a record is written as a line. */
export type LineFormat =
  | { readonly kind: 'ndjson' }
  /** `excelSafe`: text that a spreadsheet would take for a formula is guarded. */
  | { readonly kind: 'csv'; readonly excelSafe: boolean };

const JSON_PAGE: ListFormat = { kind: 'json' };
const NDJSON: ListFormat = { kind: 'ndjson' };

interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  /** How much it is wanted, from 0 to 1. */
  readonly weight: number;
}

/** The form that is wanted most. Where none of ours is named, JSON is sent all the same. */
export function listFormat(accept: string | undefined): ListFormat | Problem {
  if (accept === undefined) return JSON_PAGE;
  const [best] = accept
    .split(',')
    .map(readRange)
    .filter(({ type, weight }) => weight > 0 && formats.has(type))
    .toSorted((a, b) => b.weight - a.weight);
  return best === undefined ? JSON_PAGE : (formats.get(best.type)?.(best) ?? JSON_PAGE);
}

const formats: ReadonlyMap<string, (range: MediaRange) => ListFormat | Problem> = new Map([
  ['*/*', () => JSON_PAGE],
  ['application/*', () => JSON_PAGE],
  ['application/json', () => JSON_PAGE],
  ['application/x-ndjson', () => NDJSON],
  ['application/ndjson', () => NDJSON],
  ['application/jsonl', () => NDJSON],
  ['text/csv', csvFormat],
]);

const EXCEL_SAFE = 'excel-safe';

function csvFormat({ parameters }: MediaRange): ListFormat | Problem {
  const excelSafe = parameters.get(EXCEL_SAFE) ?? 'false';
  if (excelSafe === 'true' || excelSafe === 'false') return { kind: 'csv', excelSafe: excelSafe === 'true' };
  return new Problem('not_acceptable', `${EXCEL_SAFE} is ${mention(excelSafe)} in the Accept header.`, {
    suggestion: `Write text/csv; ${EXCEL_SAFE}=true, or leave it out.`,
  });
}

/** `text/csv; excel-safe=true; q=0.5` */
function readRange(text: string): MediaRange {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim().toLowerCase());
  const parameters = new Map(
    rest.map((part) => {
      const [name = '', value = ''] = part.split('=').map((side) => side.trim());
      return [name, value.replaceAll('"', '')];
    }),
  );
  const weight = Number(parameters.get('q') ?? '1');
  return { type, parameters, weight: Number.isNaN(weight) ? 1 : weight };
}
