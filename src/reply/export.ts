/** Everything that matches, as a stream of lines. The number of rows and the revision are sent first, and again at the end. */

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

/** An error breaks the connection, so a stream that ends without its trailers is incomplete. */
export function exportReply(found: Export, { fields, format }: ExportPlan, tag: string): Reply {
  const facts = { 'stockbook-rows': String(found.rows), 'stockbook-revision': String(found.version.revision) };
  return {
    status: 200,
    headers: {
      'content-type': MEDIA_TYPES[format.kind],
      ...cacheable(tag),
      ...facts,
      'stockbook-total': String(found.total),
    },
    body: { ...exportBody(found, fields, format), trailers: () => facts },
  };
}

export function streamNeedsChunks(): Problem {
  return new Problem('stream_needs_chunks', 'The request is HTTP/1.0, and a list as lines is a stream.', {
    headers: { upgrade: 'HTTP/1.1', connection: 'upgrade, close' },
  });
}

/** The chunks, preceded by the header of the format: CSV starts with the names of its columns. */
export function exportBody(
  { next, close }: Pick<Export, 'next' | 'close'>,
  fields: readonly Field[],
  format: LineFormat,
): Pick<Export, 'next' | 'close'> {
  let header = headerOf(fields, format);
  return {
    async next() {
      if (header === undefined) return next();
      const first = header;
      header = undefined;
      return first;
    },
    close,
  };
}

const BYTE_ORDER_MARK = '\uFEFF';

/** Excel reads UTF-8 only if it starts with a byte order mark. */
function headerOf(fields: readonly Field[], format: LineFormat): Uint8Array | undefined {
  if (format.kind !== 'csv') return undefined;
  const names = `${fields.map(({ name }) => name).join(',')}\r\n`;
  return Buffer.from(format.excelSafe ? BYTE_ORDER_MARK + names : names);
}
