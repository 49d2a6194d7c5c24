/**
 * All records of a list, page by page. Each page starts after the last id of the one before, not at an offset, so that writes
 * in between neither hide nor repeat a record.
 */

import type { Filter as Ast } from '../filter/ast.ts';
import { FilterError } from '../filter/filter-error.ts';
import { parseFilter } from '../filter/parse.ts';
import { printFilter } from '../filter/print.ts';
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
  const read = async (after?: number): Promise<EachPage<R>> => {
    const query = searchParams({
      fields: selected,
      filter: after === undefined ? filter : idAbove(after, filter),
      limit,
    });
    const call = { ...options, signal: controller.signal, path, query };
    const { data } = await connection.body<ListPage<R & AnyRecord>>(call);
    const last = data.length < limit ? undefined : data.at(-1)?.id;
    if (selected !== fields) for (const record of data) Reflect.deleteProperty(record, 'id');
    return { records: data, last };
  };
  const readAfter = async (page: Promise<EachPage<R>>): Promise<EachPage<R>> => {
    const { last } = await page;
    return last === undefined ? { records: [], last } : read(last);
  };

  let current = read();
  const ahead: (typeof current)[] = [];
  try {
    for (;;) {
      while (ahead.length < prefetch) {
        const page = readAfter(ahead.at(-1) ?? current);
        // It is awaited later, or never.
        page.catch(() => undefined);
        ahead.push(page);
      }
      const { records, last } = await current;
      for (const record of records) yield record;
      if (last === undefined) return;
      current = ahead.shift() ?? readAfter(current);
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    controller.abort();
  }
}

/** In a group, a `)` has another meaning than outside of one, so the filter is not just put into parentheses. */
function idAbove(id: number, filter = ''): string {
  const above = parsed(`id>${id}`);
  return printFilter(filter.trim() === '' ? above : { kind: 'and', operands: [parsed(filter), above] });
}

/** The service has accepted the same text. */
function parsed(text: string): Ast {
  const filter = parseFilter(text);
  if (filter instanceof FilterError) throw filter;
  return filter;
}

interface EachPage<R> {
  readonly records: readonly R[];
  /** The last id; undefined if the page is not full, so that nothing follows it. */
  readonly last: number | undefined;
}
