/** Repeats what has failed at once, without the pause before the next attempt. */

import { onlineManager, type QueryClient } from '@tanstack/react-query';

export async function tryNow(client: QueryClient): Promise<void> {
  // The browser may be wrong about being offline, and only an attempt shows it.
  onlineManager.setOnline(true);
  const failing = client
    .getQueryCache()
    .findAll({ type: 'active' })
    .filter(({ state }) => state.fetchFailureCount > 0 || state.status === 'error');
  // A query that waits for its next attempt would not begin another.
  await Promise.all(failing.map((query) => query.cancel({ revert: true, silent: true })));
  await client.refetchQueries({ type: 'active', predicate: (query) => failing.includes(query) });
}
