/**
 * The file that was chosen, and the import that is under way: one at a time. Both are kept while components come and go, and end
 * with the session.
 */

import type { ImportResult } from '@stockbook/client';
import {
  createContext,
  type Dispatch,
  type ReactNode,
  type SetStateAction,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import type { Resource } from '../../../src/catalog/resource.ts';
import { importPath } from '../view/page.ts';

export type ImportState =
  | { readonly kind: 'none' }
  /** What was chosen cannot be imported. */
  | { readonly kind: 'unusable'; readonly resource: Resource; readonly reason: string }
  | ChosenFile;

export interface ChosenFile {
  readonly kind: 'chosen';
  /** Another one for each choice. */
  readonly id: number;
  readonly resource: Resource;
  readonly file: File;
  /** The settings in the address, for those who leave the import and come back. */
  readonly settings: string;
  /** Undefined until somebody starts the import. */
  readonly run: ImportRun | undefined;
}

export type ImportRun =
  | { readonly kind: 'uploading'; readonly sent: number; readonly cancel: () => void }
  | {
      readonly kind: 'loading';
      readonly rows: number;
      /** As many as the dry run has found. */
      readonly ofRows: number;
      readonly isCancelling: boolean;
      readonly cancel: () => void;
    }
  | { readonly kind: 'done'; readonly result: ImportResult }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly error: unknown };

type State = readonly [ImportState, Dispatch<SetStateAction<ImportState>>];

const NONE: ImportState = { kind: 'none' };

const ImportContext = createContext<State | undefined>(undefined);

export function ImportProvider({ children }: { readonly children: ReactNode }) {
  const state = useState(NONE);
  const run = runOf(state[0]);
  const isUploading = run?.kind === 'uploading';
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    if (!isUploading) return undefined;
    // The browser asks whether to leave.
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isUploading]);
  useEffect(
    () => () => {
      if (latest.current?.kind === 'uploading') latest.current.cancel();
    },
    [],
  );
  return <ImportContext value={state}>{children}</ImportContext>;
}

export function useImportState(): State {
  const state = useContext(ImportContext);
  if (state === undefined) throw new Error('nothing can be imported here');
  return state;
}

function runOf(state: ImportState): ImportRun | undefined {
  return state.kind === 'chosen' ? state.run : undefined;
}

/** Where the import of a resource is, with the settings that somebody has chosen for the file. */
export function importHref(state: ImportState, resource: Resource): string {
  const settings = state.kind === 'chosen' && state.resource === resource ? state.settings : '';
  return `${importPath(resource)}${settings === '' ? '' : `?${settings}`}`;
}

export function isRunning(state: ImportState): boolean {
  const run = runOf(state);
  return run?.kind === 'uploading' || run?.kind === 'loading';
}
