/** Changes as a response: a page, all there are as lines, or, as they are made, as server-sent events. */

import type { Resource } from '../catalog/resource.ts';
import { Problem } from '../problem/problem.ts';
import type { Changes } from '../store/store.ts';
import { type FeedOf, printCursor } from './cursor.ts';
import { endLine, NDJSON, savedAs } from './export.ts';
import { jsonReply, type Reply, type TextReply, VARY } from './reply.ts';

export function changesReply(found: Changes, of: FeedOf): TextReply {
  return { ...jsonReply(200, changesHeaders(found, of), pageOf(found, of)), rows: found.count };
}

function pageOf(found: Changes, of: FeedOf): string {
  const meta = { count: found.count, cursor: printCursor(found.cursor, of), more: found.more };
  return `{"data":[${found.changes}],"meta":${JSON.stringify(meta)}}`;
}

function changesHeaders({ version, oldest }: Changes, of: FeedOf): Reply['headers'] {
  return {
    'cache-control': 'private, no-store',
    vary: VARY,
    'stockbook-revision': String(version.revision),
    'stockbook-oldest-cursor': printCursor(oldest, of),
  };
}

export function cursorExpired(resource: Resource): Problem {
  return new Problem('cursor_expired', `Changes of ${resource.plural} since this cursor are no longer known.`, {
    parameter: 'since',
  });
}

/**
 * Reads the page after another. Undefined if the stream is to end: it has as many changes as requested, the client has left,
 * or the service stops.
 */
export type NextPage = (previous: Changes) => Promise<Changes | undefined>;

/** The cursor at which they end follows in the trailers. */
export function changeLines(first: Changes, of: FeedOf, nextPage: NextPage, hasEnd: boolean): Reply {
  let last = first;
  let isFirst = true;
  let rows = 0;
  let isEnded = !hasEnd;
  const cursor = () => printCursor(last.cursor, of);
  /** The next page, if there is one. Its text is not kept: thousands of streams may be open. */
  const next = async () => {
    const page = isFirst ? first : last.more ? await nextPage(last) : undefined;
    isFirst = false;
    last = withoutText(page ?? last);
    return page;
  };
  return {
    status: 200,
    headers: {
      ...changesHeaders(first, of),
      'content-type': hasEnd ? NDJSON.withEnd : NDJSON.plain,
      'content-disposition': savedAs(`${of.resource.name}-changes.ndjson`),
    },
    body: {
      async next() {
        let page = await next();
        // Of the records that it covers, none matches.
        while (page?.count === 0 && page.more) page = await next();
        if (page !== undefined && page.count > 0) {
          rows += page.count;
          return Buffer.from(`${page.changes}\n`);
        }
        if (isEnded) return undefined;
        isEnded = true;
        return endLine({ rows, revision: last.version.revision, cursor: cursor(), more: last.more });
      },
      close: async () => {},
      trailers: () => ({
        'stockbook-rows': String(rows),
        'stockbook-revision': String(last.version.revision),
        'stockbook-cursor': cursor(),
        'stockbook-more': String(last.more),
      }),
      rows: () => rows,
    },
  };
}

function withoutText(page: Changes): Changes {
  return { ...page, changes: '' };
}

/** A comment, which clients ignore. It shows that the connection is alive. */
const HEARTBEAT = Buffer.from(': heartbeat\n\n');

/** An event for every page of changes, as long as there are any; a heartbeat if there are none for a while. */
export function changeEvents(first: Changes, of: FeedOf, nextPage: NextPage): Reply {
  let last = first;
  let isFirst = true;
  let rows = 0;
  return {
    status: 200,
    headers: { ...changesHeaders(first, of), 'content-type': 'text/event-stream', 'x-accel-buffering': 'no' },
    body: {
      async next() {
        const page = isFirst ? first : await nextPage(last);
        isFirst = false;
        if (page === undefined) return undefined;
        last = withoutText(page);
        rows += page.count;
        return page.count === 0 ? HEARTBEAT : Buffer.from(eventOf(page, of));
      },
      close: async () => {},
      trailers: () => ({}),
      rows: () => rows,
    },
  };
}

function eventOf(page: Changes, of: FeedOf): string {
  return `event: changes\nid: ${printCursor(page.cursor, of)}\ndata: ${pageOf(page, of)}\n\n`;
}
