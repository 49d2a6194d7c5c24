/** How many records a resource has, without a filter. */

import { useQuery } from '@tanstack/react-query';
import type { Resource } from '../../../src/catalog/resource.ts';
import { useSession } from '../session/session.ts';
import { recordsOf } from './records.ts';

/** Undefined until it is known. Read only if it is needed. */
export function useTotal(resource: Resource, isNeeded: boolean): number | undefined {
  const { connection } = useSession();
  const { data } = useQuery({
    queryKey: [resource.name, 'total'],
    enabled: isNeeded,
    queryFn: async ({ signal }) => {
      const { meta } = await recordsOf(connection, resource).list({ fields: ['id'], limit: 1, signal });
      return meta.total;
    },
  });
  return isNeeded ? data : undefined;
}
