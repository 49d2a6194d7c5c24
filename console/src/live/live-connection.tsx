/**
 * Keeps the page of the view up to date while it is mounted. A long poll returns the page when something is written. That is exact
 * for any filter and order; the change feed would have to be read from the beginning, and does not tell which records move to another
 * page.
 */

import { StockbookError } from '@stockbook/client';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { recordsOf } from '../data/records.ts';
import { type ListedPage, listKey, listQuery, useList } from '../data/use-list.ts';
import { useSession } from '../session/session.ts';
import { useView } from '../view/use-view.ts';

export type LiveState =
  /** Nothing is known yet. */
  | 'connecting'
  /** The service has responded since the last failure. */
  | 'connected'
  | 'reconnecting'
  /** For a reason that lasts, such as a missing scope. */
  | 'stopped';

/** How long a request waits, in seconds. Many proxies give up after 60. */
const WAIT = 20;

/** The longest time without a response, in milliseconds, beyond the time it waits: then the connection is lost. */
const TIMEOUT = 15_000;

/** The shortest time between two updates, in milliseconds: an import writes many times a second. */
const PAUSE = 1_000;

/** A page that could not be loaded is tried again after this time, in milliseconds. */
const GIVEN_UP = 5_000;

export default function LiveConnection({ onState }: { readonly onState: (state: LiveState) => void }) {
  const { connection } = useSession();
  const { view } = useView();
  const list = useList();
  const queryClient = useQueryClient();
  /** Until the service has responded, requests do not wait: only a response shows that it can be reached. */
  const isReached = useRef(false);
  const key = listKey(view);
  // It needs the ETag of a page.
  const hasPage = list.isSuccess && !list.isPlaceholderData;
  const poll = useQuery({
    queryKey: [...key, 'live'],
    enabled: hasPage,
    queryFn: async ({ signal }) => {
      const etag = queryClient.getQueryData<ListedPage>(key)?.etag;
      const page = await recordsOf(connection, view.resource).list({
        ...listQuery(view),
        ifNoneMatch: etag,
        wait: isReached.current ? WAIT : 0,
        timeout: TIMEOUT,
        signal,
      });
      isReached.current = true;
      onState('connected');
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
    // An error that lasts is not asked for again.
    refetchInterval: ({ state: { status } }) => (status === 'error' ? false : PAUSE),
    retry: (_, error) => isTemporary(error),
  });
  const { failureCount, fetchStatus } = hasPage ? poll : list;
  const isLost = failureCount > 0 || fetchStatus === 'paused';
  const isStopped = [list, poll].some(({ error }) => error !== null && !isTemporary(error));
  useEffect(() => {
    if (!isLost) return;
    isReached.current = false;
    onState(isStopped ? 'stopped' : 'reconnecting');
  }, [onState, isLost, isStopped]);
  const { refetch } = list;
  const hasGivenUp = list.isError && !isStopped;
  useEffect(() => {
    if (!hasGivenUp) return undefined;
    const timer = setTimeout(() => void refetch(), GIVEN_UP);
    return () => clearTimeout(timer);
  }, [hasGivenUp, refetch]);
  return null;
}

function isTemporary(error: Error): boolean {
  return error instanceof StockbookError && error.isTemporary;
}
