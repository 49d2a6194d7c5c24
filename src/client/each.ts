/**
 * All records of a list, page by page. Each page starts after the last id of the one before, not at an offset, so that writes
 * in between neither hide nor repeat a record.
 */

import type { Connection } from './connection.ts';
import { type AnyRecord, withId } from './fields.ts';
import type { RequestOptions } from './options.ts';
import type { ListPage } from './page.ts';
import { searchParams } from './query.ts';

interface EachQuery extends RequestOptions {
  readonly fields?: readonly string[] | undefined;
  readonly q?: string | undefined;
  readonly filter?: string | undefined;
  readonly limit?: number | undefined;
  readonly prefetch?: number | undefined;
}

const DEFAULT_LIMIT = 500;

export async function* eachRecord<R extends object>(
  connection: Connection,
  path: string,
  { fields, q, filter = '', limit = DEFAULT_LIMIT, prefetch = 1, signal, ...options }: EachQuery,
): AsyncGenerator<R, void> {
  signal?.throwIfAborted();
  const selected = fields && withId(fields);
  const text = groupable(filter);
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  signal?.addEventListener('abort', abort);

  const read = async (after?: number): Promise<EachPage<R>> => {
    const rest = after === undefined ? text : idAbove(after, text);
    const query = searchParams({ fields: selected, q, filter: rest, limit });
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

/** The filter, and an id after this one. */
function idAbove(id: number, filter: string): string {
  return filter.trim() === '' ? `id>${id}` : `(${filter})&id>${id}`;
}

/**
 * A filter as it can be put into a group. The service decodes one that is still percent-encoded. In a group a `)` ends it, elsewhere it may
 * be part of a value that is not quoted; such a filter would select something else, so it throws.
 */
function groupable(filter: string): string {
  const text = /[=!*<>[]/.test(filter) ? filter : decodeURIComponent(filter);
  let [depth, isStart] = [0, true];
  for (const character of text.replaceAll(/(?<=[=*<>[,]\s*)"(?:[^"\\]|\\.)*"/g, 'x').replaceAll(' ', '')) {
    if (character === '(' && isStart) depth += 1;
    else {
      if (character === ')') depth -= 1;
      isStart = character === '&' || character === '|';
    }
    if (depth < 0) break;
  }
  if (depth === 0) return text;
  throw new TypeError(`Quote values that contain parentheses: ${filter}`);
}

interface EachPage<R> {
  readonly records: readonly R[];
  /** The last id; undefined if the page is not full, so that nothing follows it. */
  readonly last: number | undefined;
}
