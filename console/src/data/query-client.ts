/** How the console reads data: what is repeated, and what ends the session. */

import { QueryCache, QueryClient } from '@tanstack/react-query';
import { StockbookError } from 'stockbook/client';

/** How often a request that failed for a while is repeated, and the longest pause in milliseconds. */
const RETRIES = 5;
const LONGEST_PAUSE = 15_000;

export function newQueryClient(signOut: (reason: string) => void): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({
      onError(error) {
        if (error instanceof StockbookError && error.status === 401) signOut(error.detail);
      },
    }),
    defaultOptions: {
      queries: {
        // The service says with a 304 or a live view when something has changed.
        staleTime: 30_000,
        refetchOnWindowFocus: false,
        retry: (failures, error) => error instanceof StockbookError && error.isTemporary && failures < RETRIES,
        retryDelay: (failures, error) =>
          (error instanceof StockbookError ? error.retryAfter : undefined) ??
          Math.min(500 * 2 ** failures, LONGEST_PAUSE),
      },
    },
  });
}
