/** How the console reads data: what is repeated, and what ends the session. */

import { StockbookError } from '@stockbook/client';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';

/** How often a request that failed for a while is repeated, and the longest pause in milliseconds. */
const RETRIES = 5;
const LONGEST_PAUSE = 15_000;

/** Data that is older is loaded again when somebody returns to the page, or to a view of before. In milliseconds. */
const FRESH_FOR = 30_000;

export function newQueryClient(onEnded: (reason: string) => void): QueryClient {
  const onError = (error: Error) => {
    if (error instanceof StockbookError && error.status === 401) onEnded(error.detail);
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: FRESH_FOR,
        retry: (failures, error) => error instanceof StockbookError && error.isTemporary && failures < RETRIES,
        retryDelay,
      },
    },
  });
}

/** The shortest pause after a failure, in milliseconds. The first has the number 0. */
export function shortestPause(failures: number, error: unknown): number {
  const asked = error instanceof StockbookError ? error.retryAfter : undefined;
  return asked ?? Math.min(500 * 2 ** failures, LONGEST_PAUSE);
}

/** Random, so that the requests of the page are not repeated at the same moment. */
function retryDelay(failures: number, error: unknown): number {
  return shortestPause(failures, error) * (1 + Math.random() / 4);
}
