/**
 * Keeps the page of the view up to date while it is mounted. A long poll returns the page when something is written. That is exact
 * for any filter and order; the change feed would have to be read from the beginning, and does not tell which records move to another
 * page.
 */

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { StockbookError } from 'stockbook/client';
import { recordsOf } from '../data/records.ts';
import { type ListedPage, listKey, listQuery, useList } from '../data/use-list.ts';
import { useSession } from '../session/session.ts';
import { useView } from '../view/use-view.ts';

export type LiveState = 'connected' | 'reconnecting';

/** How long a request waits, in seconds. Many proxies give up after 60. */
const WAIT = 30;

/** The shortest time between two updates, in milliseconds: an import writes many times a second. */
const PAUSE = 1_000;

export default function LiveConnection({ onState }: { readonly onState: (state: LiveState) => void }) {
  const { connection } = useSession();
  const { view } = useView();
  const { isSuccess, isPlaceholderData } = useList();
  const queryClient = useQueryClient();
  const key = listKey(view);
  const { failureCount, fetchStatus } = useQuery({
    queryKey: [...key, 'live'],
    // It needs the ETag of a page.
    enabled: isSuccess && !isPlaceholderData,
    queryFn: async ({ signal }) => {
      const etag = queryClient.getQueryData<ListedPage>(key)?.etag;
      const page = await recordsOf(connection, view.resource).list({
        ...listQuery(view),
        ifNoneMatch: etag,
        wait: WAIT,
        signal,
      });
      if (page !== undefined) {
        queryClient.setQueryData(key, { ...page, of: view });
        // Everything else derived from the same records: totals, summaries, an open record.
        void queryClient.invalidateQueries({
          queryKey: [view.resource.name],
          predicate: ({ queryKey }) => queryKey[1] !== 'list',
        });
      }
      return page?.etag ?? etag ?? null;
    },
    staleTime: 0,
    gcTime: 0,
    // An error that lasts, such as a missing scope, is not asked for again.
    refetchInterval: ({ state: { status } }) => (status === 'error' ? false : PAUSE),
    retry: (_, error) => error instanceof StockbookError && error.isTemporary,
  });
  const state = failureCount > 0 || fetchStatus === 'paused' ? 'reconnecting' : 'connected';
  useEffect(() => onState(state), [onState, state]);
  return null;
}
