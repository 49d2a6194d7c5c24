/** Records that were removed a moment ago, and can be restored. They are kept while components come and go. */

import { createContext, type Dispatch, type ReactNode, type SetStateAction, useContext, useState } from 'react';
import type { Edit } from '../data/edits.ts';

/** Identified by the key with which it is undone. */
export interface Removal extends Edit {
  readonly state:
    | { readonly kind: 'removed' }
    | { readonly kind: 'restoring' }
    | { readonly kind: 'failed'; readonly error: unknown };
}

/** The latest one last. */
type Removals = readonly Removal[];

type RemovalsState = readonly [Removals, Dispatch<SetStateAction<Removals>>];

const NONE: Removals = [];

const RemovalsContext = createContext<RemovalsState | undefined>(undefined);

export function RemovalsProvider({ children }: { readonly children: ReactNode }) {
  return <RemovalsContext value={useState(NONE)}>{children}</RemovalsContext>;
}

export function useRemovals(): RemovalsState {
  const removals = useContext(RemovalsContext);
  if (removals === undefined) throw new Error('nothing can be removed here');
  return removals;
}
