/** The page of records that the view shows. Every component that asks gets the same one. */

import type { Connection, Page } from '@stockbook/client';
import { keepPreviousData, type QueryFunctionContext, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useSession } from '../session/session.ts';
import { checkFilter } from '../view/check-filter.ts';
import { useView } from '../view/use-view.ts';
import { orderOf, printSort, type View } from '../view/view.ts';
import { activeField } from './inactive.ts';
import { type RecordValues, recordsOf } from './records.ts';

/** A page, and the view it belongs to: while another one is loading, the table keeps showing this one. */
export interface ListedPage extends Page<RecordValues> {
  readonly of: View;
}

/** Identifies the records of a view, whatever else is shown. */
export function listKey({ resource, q, filter, fields, sort, page, limit }: View): readonly unknown[] {
  return [resource.name, 'list', q, filter, fields, printSort(sort), page, limit];
}

/** The page of a view as the client requests it. Whatever the columns are, rows have an id, and tell whether their record is in use. */
export function listQuery(view: View) {
  const { resource, q, filter, fields, page, limit } = view;
  const active = activeField(resource);
  return {
    fields: [...new Set([...(fields.includes('id') ? [] : ['id']), ...fields, ...(active ? [active.name] : [])])],
    q: q === '' ? undefined : q,
    filter: filter === '' ? undefined : filter,
    sort: orderOf(view),
    page,
    limit,
  };
}

/** How TanStack Query reads the page of a view. */
export function listOptions(connection: Connection, view: View) {
  const queryKey = listKey(view);
  return {
    queryKey,
    queryFn: async ({ signal, client }: QueryFunctionContext) => {
      const cached = client.getQueryData<ListedPage>(queryKey);
      const records = recordsOf(connection, view.resource);
      const changed = await records.list({ ...listQuery(view), ifNoneMatch: cached?.etag, signal });
      if (changed !== undefined) return { ...changed, of: view };
      if (cached === undefined) throw new Error('a page that nobody has cannot be unchanged');
      return cached;
    },
  };
}

export function useList(): UseQueryResult<ListedPage> {
  const { connection } = useSession();
  const { view } = useView();
  return useQuery({
    ...listOptions(connection, view),
    // The service would say the same, later.
    enabled: checkFilter(view.resource, view.filter).kind === 'valid',
    placeholderData: keepPreviousData,
  });
}
