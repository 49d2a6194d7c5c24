/** One record with all its fields. */

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Resource } from '../../../src/catalog/resource.ts';
import { useSession } from '../session/session.ts';
import { type RecordValues, recordsOf } from './records.ts';

/** Null if it does not exist. */
export function useRecord(resource: Resource, id: number): UseQueryResult<RecordValues | null> {
  const { connection } = useSession();
  return useQuery({
    queryKey: [resource.name, 'record', id],
    queryFn: async ({ signal }) => (await recordsOf(connection, resource).get(id, { signal })) ?? null,
  });
}
