/** One record with all its fields. */

import { type QueryKey, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Resource } from '../../../src/catalog/resource.ts';
import { useSession } from '../session/session.ts';
import { readRecord, recordsOf, type TaggedRecord } from './records.ts';

export function recordKey(resource: Resource, id: number): QueryKey {
  return [resource.name, 'record', id];
}

/** Null if it does not exist. */
export function useRecord(resource: Resource, id: number): UseQueryResult<TaggedRecord | null> {
  const { connection } = useSession();
  return useQuery({
    queryKey: recordKey(resource, id),
    queryFn: async ({ signal }) => (await readRecord(recordsOf(connection, resource), id, { signal })) ?? null,
  });
}
