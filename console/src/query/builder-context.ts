/** What the parts of the query builder share: the whole filter, and how to change it. */

import type { Filter } from '@stockbook/client/filter';
import { createContext, useContext } from 'react';
import type { Resource } from '../../../src/catalog/resource.ts';

export interface BuilderState {
  readonly resource: Resource;
  readonly filter: Filter | undefined;
  readonly isDisabled: boolean;
  readonly change: (filter: Filter | undefined) => void;
}

export const BuilderContext = createContext<BuilderState | undefined>(undefined);

export function useBuilder(): BuilderState {
  const state = useContext(BuilderContext);
  if (state === undefined) throw new Error('there is no query builder around this');
  return state;
}
