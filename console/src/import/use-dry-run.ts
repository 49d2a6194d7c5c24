/** What the import of a file would do. It is asked again when anything changes, and the request before is aborted. */

import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type DryRun, tryImport } from './import-requests.ts';
import type { ImportSettings } from './import-settings.ts';
import type { ChosenFile } from './import-state.tsx';

export interface DryRunState {
  readonly query: UseQueryResult<DryRun>;
  /** How much of the file has been sent, from 0 to 1. */
  readonly sent: number;
}

export function useDryRun({ id, resource, file }: ChosenFile, settings: ImportSettings): DryRunState {
  const [sent, setSent] = useState(0);
  const query = useQuery({
    queryKey: ['import', id, String(settings)],
    queryFn: ({ signal }) => {
      setSent(0);
      const onSent = (bytes: number) => setSent(bytes / file.size);
      return tryImport({ resource, file, settings }, { signal, onSent });
    },
    placeholderData: keepPreviousData,
    // The records may have changed, so what was found is not kept; but nothing is sent again unless somebody changes something.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    networkMode: 'always',
  });
  return { query, sent };
}
