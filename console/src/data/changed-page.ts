/** A page of records after a record was changed or removed, before it is read again. */

import type { Page } from '@stockbook/client';
import type { RecordValues } from './records.ts';

type Records = Pick<Page<RecordValues>, 'data' | 'meta'>;

/** The page has some of the record's fields, or does not have it at all. */
export function withRecord<Changed extends Records>(page: Changed, values: RecordValues): Changed {
  const { id } = values;
  const data = page.data.map((listed) => {
    if (listed.id !== id) return listed;
    return { ...Object.fromEntries(Object.keys(listed).map((name) => [name, values[name] ?? null])), id };
  });
  return { ...page, data };
}

export function withoutRecord<Changed extends Records>(page: Changed, id: number): Changed {
  const data = page.data.filter((listed) => listed.id !== id);
  const removed = page.data.length - data.length;
  const meta = { ...page.meta, count: page.meta.count - removed, total: page.meta.total - removed };
  return { ...page, data, meta };
}
