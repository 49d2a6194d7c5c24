/** The imports of the last 30 days, the newest first. Those that are running are read again until they have ended. */

import type { Import } from '@stockbook/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useSession } from '../session/session.ts';

export const IMPORTS_KEY = ['imports'] as const;

/** In milliseconds. The service learns as often how far an import is. */
const WHILE_RUNNING = 2_000;

export function useImports(): UseQueryResult<readonly Import[]> {
  const { stockbook } = useSession();
  return useQuery({
    queryKey: IMPORTS_KEY,
    queryFn: ({ signal }) => stockbook.imports.list({ signal }),
    // Others import as well.
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data?.some(({ state: of }) => of === 'running') ? WHILE_RUNNING : false),
  });
}
