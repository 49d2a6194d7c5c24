/** The groups of the records that match. While others are loading, those of before are shown. */

import { keepPreviousData, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Resource } from '../../../src/catalog/resource.ts';
import type { Facet } from '../../../src/plan/plan.ts';
import type { Value } from '../data/records.ts';
import { useSession } from '../session/session.ts';
import { type GroupKey, keyOf } from '../summary/facet.ts';
import { measurable } from '../summary/measures.ts';
import type { View } from '../view/view.ts';
import { groupsQuery } from './grouping.ts';

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

export function useGroups(view: View, facet: Facet, limit: number, isEnabled: boolean): UseQueryResult<Groups> {
  const { connection } = useSession();
  const { resource } = view;
  const query = groupsQuery(view, facet, limit);
  return useQuery({
    queryKey: [resource.name, 'groups', query],
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Groups> => {
      const { total, measures, facets } = await measurable(connection, resource).aggregate({
        ...query,
        signal,
      });
      const found = facets[query.facets[0]];
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
