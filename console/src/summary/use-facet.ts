/** The groups that a chart shows. While others are loading, it keeps showing the previous ones. */

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { checkFilter } from '../view/check-filter.ts';
import { useView } from '../view/use-view.ts';
import type { Facet } from './facet.ts';
import type { FacetLoader } from './facet-loader.ts';

export const FacetLoaderContext = createContext<FacetLoader | undefined>(undefined);

export interface LoadedFacet {
  readonly facet: Facet | undefined;
  readonly error: Error | null;
  /** Whether the groups are those of an earlier filter. */
  readonly isOld: boolean;
  readonly retry: () => void;
}

/** Without a name if it is not known yet by what to group. */
export function useFacet(name: string | undefined, filter: string): LoadedFacet {
  const loader = useContext(FacetLoaderContext);
  const { view } = useView();
  const { resource } = view;
  const { data, error, isPlaceholderData, refetch } = useQuery({
    queryKey: [resource.name, 'facet', filter, name],
    enabled: name !== undefined && checkFilter(resource, view.filter).kind === 'valid',
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      if (loader === undefined || name === undefined) throw new Error('nothing to load');
      return loader.load({ resource, filter, facet: name }, signal);
    },
  });
  return { facet: data, error, isOld: isPlaceholderData, retry: refetch };
}
