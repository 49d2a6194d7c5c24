/** The export: one at a time. It continues while the view changes, and ends with the session. Its result is that of its own view. */

import { useMutation } from '@tanstack/react-query';
import { createContext, useCallback, useContext, useEffect, useRef, useState } from 'react';
import { recordsOf } from '../data/records.ts';
import { today } from '../format/local-time.ts';
import { countOf } from '../format/values.ts';
import { useSession } from '../session/session.ts';
import { confirmDone } from '../ui/confirmation.ts';
import { printSort, type View } from '../view/view.ts';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  type ExportOptions,
  type ExportProgress,
  exportView,
  initialProgress,
} from './export-view.ts';
import { type FileTarget, openTarget } from './file-target.ts';

export type ExportState = { readonly kind: 'idle' } | BegunExport;

/** `view` is what is exported, whatever is shown meanwhile. */
export type BegunExport = { readonly view: View } & (
  | ({ readonly kind: 'running'; readonly total: number } & ExportProgress)
  | { readonly kind: 'done'; readonly records: number; readonly name: string }
  | { readonly kind: 'failed'; readonly error: unknown }
);

/** Whether both views have the same records, columns and order. */
export function isSameExport(one: View, other: View): boolean {
  return exportKey(one) === exportKey(other);
}

function exportKey(view: View): string {
  const { resource, q, filter, fields, sort } = view;
  return JSON.stringify([resource.name, q, filter, fields, printSort(sort)]);
}

export interface ExportControl {
  readonly state: ExportState;
  readonly start: (view: View, format: ExportFormat, total: number) => void;
  readonly cancel: () => void;
  /** Discards the result of the last one. */
  readonly reset: () => void;
}

interface ExportRun {
  readonly view: View;
  readonly target: FileTarget;
  readonly options: ExportOptions;
}

export const ExportContext = createContext<ExportControl | undefined>(undefined);

export function useExport(): ExportControl {
  const control = useContext(ExportContext);
  if (control === undefined) throw new Error('there is no export here');
  return control;
}

/** For the provider. */
export function useNewExport(): ExportControl {
  const { connection } = useSession();
  const [state, setState] = useState<ExportState>({ kind: 'idle' });
  const controller = useRef<AbortController>(undefined);
  // A mutation, because the query client signs out on a 401.
  const { mutateAsync } = useMutation({
    networkMode: 'always',
    mutationFn: ({ view, target, options }: ExportRun) =>
      exportView(recordsOf(connection, view.resource), view, target, options),
  });
  const start = useCallback(
    async (view: View, format: ExportFormat, total: number) => {
      const { extension, mediaType } = EXPORT_FORMATS[format];
      const target = await openTarget(`${view.resource.plural}-${today()}.${extension}`, mediaType);
      if (target === undefined) return;
      controller.current = new AbortController();
      const { signal } = controller.current;
      setState({ kind: 'running', view, ...initialProgress(format), total });
      try {
        const onProgress = (progress: ExportProgress) => setState({ kind: 'running', view, ...progress, total });
        const records = await mutateAsync({ view, target, options: { format, signal, onProgress } });
        setState({ kind: 'done', view, records: records ?? total, name: target.name });
        const { name, plural } = view.resource;
        confirmDone(`Exported ${countOf(records ?? total, name, plural)}`);
      } catch (error) {
        setState(signal.aborted ? { kind: 'idle' } : { kind: 'failed', view, error });
      }
    },
    [mutateAsync],
  );
  const cancel = useCallback(() => controller.current?.abort(), []);
  const reset = useCallback(() => setState({ kind: 'idle' }), []);
  useEffect(() => cancel, [cancel]);
  return { state, start, cancel, reset };
}
