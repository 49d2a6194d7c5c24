/** Everything that matches as a stream of lines. The number of rows and the revision come first, and again at the end. */

import type { Field } from '../catalog/resource.ts';
import type { ExportPlan } from '../plan/plan.ts';
import { Problem } from '../problem/problem.ts';
import type { LineFormat } from '../request/accept.ts';
import type { Export } from '../store/store.ts';
import { cacheable, type Reply } from './reply.ts';

const MEDIA_TYPES: Record<LineFormat['kind'], string> = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
};

/** A stream that ends without its trailers is not whole: whatever goes wrong on the way breaks the connection. */
export function exportReply(found: Export, { fields, format }: ExportPlan, tag: string): Reply {
  const { rows, total, revision } = found;
  const facts = { 'stockbook-rows': String(rows), 'stockbook-revision': String(revision) };
  return {
    status: 200,
    headers: {
      'content-type': MEDIA_TYPES[format.kind],
      ...cacheable(tag),
      ...facts,
      'stockbook-total': String(total),
    },
    body: { ...exportBody(found, fields, format), trailers: facts },
  };
}

export function streamNeedsChunks(): Problem {
  return new Problem('stream_needs_chunks', 'The request is HTTP/1.0, and a list as lines is a stream.', {
    headers: { upgrade: 'HTTP/1.1', connection: 'upgrade, close' },
  });
}

/** The pieces with what stands before them: CSV begins with the names of its columns. */
export function exportBody(
  { next, close }: Export,
  fields: readonly Field[],
  format: LineFormat,
): Pick<Export, 'next' | 'close'> {
  let head = headOf(fields, format);
  return {
    async next() {
      if (head === undefined) return next();
      const first = head;
      head = undefined;
      return first;
    },
    close,
  };
}

const BYTE_ORDER_MARK = '\uFEFF';

/** Without a byte order mark, Excel takes UTF-8 for something else. */
function headOf(fields: readonly Field[], format: LineFormat): Uint8Array | undefined {
  if (format.kind !== 'csv') return undefined;
  const names = `${fields.map(({ name }) => name).join(',')}\r\n`;
  return Buffer.from(format.excelSafe ? BYTE_ORDER_MARK + names : names);
}
