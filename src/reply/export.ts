/** Everything that matches, as a stream of lines or a workbook. The number of rows and the revision are sent first, and again at the end. */

import type { Field } from '../catalog/resource.ts';
import { MAX_SHEET_RECORDS, MAX_SHEET_ROWS } from '../catalog/sheet.ts';
import type { ExportPlan } from '../plan/plan.ts';
import type { MeantFilter } from '../plan/text-mistakes.ts';
import { Problem } from '../problem/problem.ts';
import { type StreamFormat, XLSX_TYPE } from '../request/accept.ts';
import type { Query } from '../request/parameters.ts';
import type { Export } from '../store/store.ts';
import { hintHeader } from './hint.ts';
import { cacheable, type Reply } from './reply.ts';
import { workbookBody } from './xlsx/workbook.ts';

export const NDJSON = { plain: 'application/x-ndjson', withEnd: 'application/x-ndjson; end=line' } as const;

function mediaType(format: StreamFormat): string {
  switch (format.kind) {
    case 'csv':
      return 'text/csv; charset=utf-8; header=present';
    case 'xlsx':
      return XLSX_TYPE;
    case 'ndjson':
      return format.hasEnd ? NDJSON.withEnd : NDJSON.plain;
  }
}

/** A browser saves it under this name instead of showing it. */
export function savedAs(fileName: string): string {
  return `attachment; filename="${fileName}"`;
}

/** An error breaks the connection, so a stream that ends without its trailers is incomplete. */
export function exportReply(
  found: Export,
  plan: ExportPlan,
  values: Query['values'],
  tag: string,
  hint: MeantFilter | undefined,
): Reply {
  const { resource, format } = plan;
  const facts = { 'stockbook-rows': String(found.rows), 'stockbook-revision': String(found.version.revision) };
  return {
    status: 200,
    headers: {
      'content-type': mediaType(format),
      'content-disposition': savedAs(`${resource.plural}.${format.kind}`),
      ...cacheable(tag, found.source),
      ...facts,
      'stockbook-total': String(found.total),
      ...hintHeader(plan, '', values, hint),
    },
    body: {
      ...exportBody(found, plan),
      trailers: () => facts,
    },
    rows: found.rows,
  };
}

export function streamNeedsChunks(): Problem {
  // Not a 426: its header `Upgrade`, passed on by a proxy, would be an error in HTTP/2.
  return new Problem('stream_needs_chunks', 'The request is HTTP/1.0, and such a list is a stream.');
}

/** A problem if the format cannot have as many rows. */
export function checkRows(rows: number, { resource, format }: ExportPlan): Problem | undefined {
  if (format.kind !== 'xlsx' || rows <= MAX_SHEET_RECORDS) return undefined;
  return new Problem(
    'too_many_rows',
    `${rows} ${resource.plural} match, and a sheet of Excel has ${MAX_SHEET_ROWS} rows.`,
    {
      parameter: 'format',
      suggestion: `Narrow the filter to at most ${MAX_SHEET_RECORDS} ${resource.plural}, or use format=csv.`,
    },
  );
}

/**
 * The chunks as a workbook, or as lines: preceded by the header of the format, the names of the columns of CSV, and followed by its end, if the client
 * asked for one.
 */
export function exportBody(
  found: Pick<Export, 'next' | 'close' | 'rows' | 'version'>,
  { resource, fields, format }: Pick<ExportPlan, 'resource' | 'fields' | 'format'>,
): Pick<Export, 'next' | 'close'> {
  const { next, close, rows, version } = found;
  if (format.kind === 'xlsx') return workbookBody(found, { resource, fields, rows });
  let header = headerOf(fields, format);
  let end = format.kind === 'ndjson' && format.hasEnd ? endLine({ rows, revision: version.revision }) : undefined;
  return {
    async next() {
      const first = header;
      header = undefined;
      const chunk = first ?? (await next());
      if (chunk !== undefined) return chunk;
      const last = end;
      end = undefined;
      return last;
    },
    close,
  };
}

/** The last line of NDJSON that has an end. No record has such a member. */
export function endLine(facts: Readonly<Record<string, unknown>>): Uint8Array {
  return Buffer.from(`${JSON.stringify({ end: facts })}\n`);
}

const BYTE_ORDER_MARK = '\uFEFF';

/** Spreadsheets are for people, so their columns have labels. Excel reads UTF-8 only if it starts with a byte order mark. */
function headerOf(fields: readonly Field[], format: StreamFormat): Uint8Array | undefined {
  if (format.kind !== 'csv') return undefined;
  if (!format.excelSafe) return Buffer.from(`${fields.map(({ name }) => name).join(',')}\r\n`);
  const labels = fields.map(({ label }) => `"${label.replaceAll('"', '""')}"`);
  return Buffer.from(`${BYTE_ORDER_MARK}${labels.join(',')}\r\n`);
}
