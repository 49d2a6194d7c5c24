/** The groups that a chart shows. While others are loading, it keeps showing the previous ones. */

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { checkFilter } from '../view/check-filter.ts';
import { useView } from '../view/use-view.ts';
import type { Facet } from './facet.ts';
import type { FacetLoader } from './facet-loader.ts';

export const FacetLoaderContext = createContext<FacetLoader | undefined>(undefined);

/** What a chart is made of. */
export interface Loaded<Data> {
  /** Undefined while it is loading, and if that has failed. */
  readonly data: Data | undefined;
  readonly error: Error | null;
  /** Whether the data is that of an earlier filter. */
  readonly isOld: boolean;
  readonly retry: () => void;
}

export function useFacet(name: string, filter: string): Loaded<Facet> {
  const loader = useContext(FacetLoaderContext);
  const { view } = useView();
  const { resource, q } = view;
  const { data, error, isPlaceholderData, refetch } = useQuery({
    queryKey: [resource.name, 'facet', q, filter, name],
    enabled: checkFilter(resource, view.filter).kind === 'valid',
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      if (loader === undefined) throw new Error('nothing to load with');
      return loader.load({ resource, q, filter, facet: name }, signal);
    },
  });
  return { data, error, isOld: isPlaceholderData, retry: refetch };
}
