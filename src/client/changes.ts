/**
 * The change feed, page by page. It waits with long polling, not with server-sent events: a page is an ordinary response
 * that is complete or an error, is repeated like any other, and passes through every proxy.
 */

import type { Connection } from './connection.ts';
import type { AnyRecord } from './fields.ts';
import type { NamesOf, RequestOptions } from './options.ts';
import { SELECTION_OPTIONS, searchParams } from './query.ts';

export interface ChangesOptions {
  /** The cursor to continue at. Default: everything. */
  readonly since?: string | undefined;
  /** Whether to wait for further changes. Without, the feed ends with the page that has the last change. Default: true. */
  readonly follow?: boolean | undefined;
}

export const CHANGES_OPTIONS: NamesOf<ChangesOptions & typeof SELECTION_OPTIONS> = {
  since: 1,
  follow: 1,
  ...SELECTION_OPTIONS,
};

/** A page of changes. A record is in it once at most, as it is now. */
export interface Changes<R> {
  /** Records that were created or changed. */
  readonly records: readonly R[];
  /** The ids of records that were removed, or no longer match the filter. */
  readonly removed: readonly number[];
  /** Where to continue after this page. */
  readonly cursor: string;
  /** Whether there are more changes now. */
  readonly more: boolean;
}

/** What identifies a feed. */
export interface Feed extends RequestOptions {
  readonly path: string;
  readonly fields: readonly string[];
  readonly q?: string | undefined;
  readonly filter: string | undefined;
}

/** How many changes are read at once. */
const LIMIT = 1_000;

/** How long a request waits, in seconds. Many proxies give up after 60. */
export const WAIT = 30;

interface Page<R> {
  readonly data: readonly (R & { readonly removed?: true })[];
  readonly meta: { readonly cursor: string; readonly more: boolean };
}

/** One page. If there are no changes, waits for some, for this many seconds. */
export async function readChanges<R extends AnyRecord>(
  connection: Connection,
  { path, fields, q, filter, ...options }: Feed,
  since: string | undefined,
  wait = 0,
): Promise<Changes<R>> {
  const query = searchParams({ fields, q, filter, limit: LIMIT, since });
  const { data, meta } = await connection.body<Page<R>>({ ...options, path: `${path}/changes`, query, wait });
  return {
    records: data.filter(({ removed }) => !removed),
    removed: data.filter(({ removed }) => removed).map(({ id }) => id),
    cursor: meta.cursor,
    more: meta.more,
  };
}

/** All pages. The first may be empty, and then has the cursor of an account without changes. */
export async function* followChanges<R extends AnyRecord>(
  connection: Connection,
  feed: Feed,
  { since, follow = true }: ChangesOptions,
): AsyncGenerator<Changes<R>, void> {
  const lasting = follow ? withoutEnd(connection, feed) : feed;
  let page = await readChanges<R>(connection, lasting, since);
  yield page;
  while (page.more || follow) {
    const wait = page.more ? 0 : WAIT;
    page = await readChanges<R>(connection, lasting, page.cursor, wait);
    if (wait === 0 || !isEmpty(page)) yield page;
  }
}

/** A feed that is followed outlives temporary failures of the service, however long they take. */
export function withoutEnd(connection: Connection, feed: Feed): Feed {
  return { ...feed, retries: feed.retries ?? connection.retries ?? Number.POSITIVE_INFINITY };
}

export function isEmpty({ records, removed }: Changes<unknown>): boolean {
  return records.length + removed.length === 0;
}
