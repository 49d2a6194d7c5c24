/** Reads again what derives from the records of a resource, because some of them were written. */

import type { Query, QueryClient } from '@tanstack/react-query';
import type { Resource } from '../../../src/catalog/resource.ts';

/** Lists, totals, charts, suggestions. What is not shown now is read when it is. */
export async function readAgain(
  client: QueryClient,
  resource: Resource,
  isAffected: (query: Query) => boolean = () => true,
): Promise<void> {
  const queryKey = [resource.name];
  // What is being read for the first time may be as it was before, and would not be read again.
  await client.cancelQueries({ queryKey, predicate: (query) => query.state.data === undefined && isAffected(query) });
  await client.invalidateQueries({ queryKey, predicate: isAffected });
}
