/**
 * All records of a list, page by page. Each page starts after the last id of the one before, not at an offset, so that writes
 * in between neither hide nor repeat a record.
 */

import type { Connection, RequestOptions } from './connection.ts';
import { type AnyRecord, withId } from './fields.ts';
import type { ListPage } from './page.ts';
import { searchParams } from './query.ts';

interface EachQuery extends RequestOptions {
  readonly fields?: readonly string[] | undefined;
  readonly filter?: string | undefined;
  readonly limit?: number | undefined;
  readonly prefetch?: number | undefined;
}

const DEFAULT_LIMIT = 500;

export async function* eachRecord<R extends object>(
  connection: Connection,
  path: string,
  { fields, filter, limit = DEFAULT_LIMIT, prefetch = 1, signal, ...options }: EachQuery,
): AsyncGenerator<R, void> {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', abort);

  const selected = fields && withId(fields);
  const read = async (after?: number): Promise<readonly (R & AnyRecord)[]> => {
    const rest = after === undefined ? filter : `${filter === undefined ? '' : `(${filter})&`}id>${after}`;
    const query = searchParams({ fields: selected, filter: rest, limit });
    return (await connection.body<ListPage<R & AnyRecord>>({ ...options, signal: controller.signal, path, query }))
      .data;
  };
  /** Nothing follows a page that is not full. */
  const readAfter = async (page: ReturnType<typeof read> | undefined): ReturnType<typeof read> => {
    const records = (await page) ?? [];
    return records.length < limit ? [] : read(records.at(-1)?.id);
  };

  const pages = [read()];
  try {
    for (;;) {
      while (pages.length <= prefetch) {
        const page = readAfter(pages.at(-1));
        // It is awaited later, or never.
        page.catch(() => undefined);
        pages.push(page);
      }
      const records: readonly R[] = (await pages.shift()) ?? [];
      for (const record of records) {
        if (selected !== fields) Reflect.deleteProperty(record, 'id');
        yield record;
      }
      if (records.length < limit) return;
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    controller.abort();
  }
}
