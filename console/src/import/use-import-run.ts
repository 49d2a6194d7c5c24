/** Starts the import of the file that was chosen. It goes on while other views are shown. */

import { StockbookError } from '@stockbook/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { readAgain } from '../data/read-again.ts';
import { IMPORTS_KEY } from '../imports/use-imports.ts';
import { useSession } from '../session/session.ts';
import { type FileImport, type Loading, makeImport } from './import-requests.ts';
import type { ImportSettings } from './import-settings.ts';
import { type ChosenFile, type ImportRun, useImportState } from './import-state.tsx';

export interface StartOptions {
  readonly settings: ImportSettings;
  readonly isConfirmed: boolean;
  /** How many rows the file has. */
  readonly rows: number;
}

export interface ImportControl {
  readonly start: (chosen: ChosenFile, options: StartOptions) => void;
  /** Back to what the import would do. */
  readonly review: () => void;
  /** Forgets the file. */
  readonly reset: () => void;
}

export function useImportRun(): ImportControl {
  const session = useSession();
  const queryClient = useQueryClient();
  const [, setState] = useImportState();
  // A mutation, because the query client signs out on a 401.
  const { mutateAsync } = useMutation({
    networkMode: 'always',
    mutationFn: ({ request, loading }: { readonly request: FileImport; readonly loading: Loading }) =>
      makeImport(session, request, loading),
  });
  const start = useCallback(
    async (chosen: ChosenFile, { settings, isConfirmed, rows: ofRows }: StartOptions) => {
      const { resource, file } = chosen;
      const controller = new AbortController();
      const { signal } = controller;
      const show = (run: ImportRun) => setState({ ...chosen, run });
      const showRows = (rows: number) =>
        show({ kind: 'loading', rows, ofRows, isCancelling: signal.aborted, cancel: cancelLoading });
      let loaded = 0;
      const cancelLoading = () => {
        controller.abort();
        showRows(loaded);
      };
      const onSent = (sent: number) => show({ kind: 'uploading', sent, cancel: () => controller.abort() });
      const onRows = (rows: number) => {
        loaded = rows;
        showRows(rows);
      };
      onSent(0);
      const loading = { signal, isConfirmed, onSent, onAccepted: () => onRows(0), onRows };
      try {
        show({ kind: 'done', result: await mutateAsync({ request: { resource, file, settings }, loading }) });
      } catch (error) {
        const isCancelled = error instanceof StockbookError && error.code === 'import_cancelled';
        show(isCancelled ? { kind: 'cancelled' } : { kind: 'failed', error });
      }
      void readAgain(queryClient, resource);
      void queryClient.invalidateQueries({ queryKey: IMPORTS_KEY });
    },
    [mutateAsync, queryClient, setState],
  );
  const review = useCallback(
    () => setState((state) => (state.kind === 'chosen' ? { ...state, run: undefined } : state)),
    [setState],
  );
  const reset = useCallback(() => setState({ kind: 'none' }), [setState]);
  return { start, review, reset };
}
