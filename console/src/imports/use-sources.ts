/** The sources that connectors import from. Their connectors report every few seconds, so they are read again. */

import type { Source } from '@stockbook/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useSession } from '../session/session.ts';

/** In milliseconds. */
const INTERVAL = 10_000;

export function useSources(): UseQueryResult<readonly Source[]> {
  const { stockbook } = useSession();
  return useQuery({
    queryKey: ['sources'],
    queryFn: ({ signal }) => stockbook.sources.list({ signal }),
    staleTime: 0,
    refetchInterval: INTERVAL,
  });
}
