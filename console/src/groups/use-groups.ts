/** The groups of the records that match. While others are loading, those of before are shown. */

import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Resource } from '../../../src/catalog/resource.ts';
import type { Facet, GroupOrder } from '../../../src/plan/plan.ts';
import type { Value } from '../data/records.ts';
import { useSession } from '../session/session.ts';
import { type GroupKey, keyOf } from '../summary/facet.ts';
import { measurable } from '../summary/measures.ts';
import { measuresOf, requestedFacet } from './grouping.ts';

export interface Groups {
  readonly total: number;
  readonly all: Measured;
  readonly groups: readonly Group[];
  /** Groups that are not listed. */
  readonly other: { readonly groups: number; readonly measures: Measured };
  /** What they were requested for, which may not be what is shown by now. */
  readonly of: { readonly facet: Facet; readonly resource: Resource };
}

/** By measure, as the API has it. */
export type Measured = Readonly<Record<string, Value>>;

export interface Group {
  readonly key: GroupKey;
  /** Selects the records of the group, among those that match. */
  readonly filter: string;
  readonly measures: Measured;
}

export interface GroupsRequest {
  readonly resource: Resource;
  /** As it is in the link. */
  readonly text: string;
  readonly facet: Facet;
  readonly q: string;
  readonly filter: string;
  readonly order: GroupOrder;
  readonly limit: number;
  readonly isEnabled: boolean;
}

export function useGroups(request: GroupsRequest): UseQueryResult<Groups> {
  const { connection } = useSession();
  const { resource, facet, q, filter, order, limit, isEnabled } = request;
  const name = requestedFacet(request.text, facet);
  return useQuery({
    queryKey: [resource.name, 'groups', q, filter, name, order, limit],
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Groups> => {
      const { total, measures, facets } = await measurable(connection, resource).aggregate({
        q: q === '' ? undefined : q,
        filter: filter === '' ? undefined : filter,
        measures: ['count', ...measuresOf(resource).map(({ measure }) => measure)],
        facets: [name],
        sort: order,
        limit,
        signal,
      });
      const found = facets[name];
      return {
        total,
        all: measures,
        groups: (found?.groups ?? []).map((group) => ({ ...group, key: keyOf(group) })),
        other: { groups: found?.other.values ?? 0, measures: found?.other.measures ?? {} },
        of: { facet, resource },
      };
    },
  });
}
