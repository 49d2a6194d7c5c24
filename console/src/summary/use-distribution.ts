/** The distribution that a histogram shows. While another one is loading, it keeps showing the previous one. */

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import { checkFilter } from '../view/check-filter.ts';
import { useView } from '../view/use-view.ts';
import { type Distribution, type DistributionRequest, readDistribution } from './distribution.ts';
import { useTimeSpans } from './measures.ts';
import type { Range } from './selection.ts';
import { FacetLoaderContext, type Loaded } from './use-facet.ts';

export interface DistributionQuery extends Omit<DistributionRequest, 'span'> {
  /** The range that the chart is zoomed into. */
  readonly within: Range | undefined;
}

export function useDistribution({ chart, filter, within, isCut }: DistributionQuery): Loaded<Distribution> {
  const loader = useContext(FacetLoaderContext);
  const { view } = useView();
  const { resource, q } = view;
  const { field, kind } = chart;
  const spans = useTimeSpans(resource, kind === 'periods');
  const isSpanKnown = kind === 'ranges' || spans.data !== undefined;
  const all = spans.data?.get(field.name);
  const span = { from: within?.from ?? all?.from, to: within?.to ?? all?.to };
  const { data, error, isPlaceholderData, refetch } = useQuery({
    queryKey: [resource.name, 'distribution', q, filter, field.name, isCut, kind === 'ranges' ? undefined : span],
    enabled: isSpanKnown && checkFilter(resource, view.filter).kind === 'valid',
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      if (loader === undefined) throw new Error('nothing to load with');
      const load = (facet: string, of: string) => loader.load({ resource, q, filter: of, facet }, signal);
      return readDistribution(load, { chart, filter, span, isCut });
    },
  });
  return {
    data,
    error: isSpanKnown ? error : spans.error,
    isOld: isPlaceholderData,
    retry: isSpanKnown ? refetch : spans.refetch,
  };
}
