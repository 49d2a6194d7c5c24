/** The saved views of the account. */

import type { View as SavedView } from '@stockbook/client';
import { type QueryClient, type UseQueryResult, useQuery } from '@tanstack/react-query';
import type { Resource } from '../../../src/catalog/resource.ts';
import { useSession } from '../session/session.ts';
import { useView } from '../view/use-view.ts';

const KEY = ['saved views'];

export function useSavedViews(): UseQueryResult<readonly SavedView[]> {
  const { stockbook } = useSession();
  return useQuery({ queryKey: KEY, queryFn: ({ signal }) => stockbook.views.list({ signal }) });
}

/** The saved view that was opened. Null if it was deleted since, and undefined if there is none, or nobody knows yet. */
export function useOpenedView(): SavedView | null | undefined {
  const { saved, resource } = useView().view;
  const { data } = useSavedViews();
  if (saved === undefined || data === undefined) return undefined;
  return data.find((view) => view.id === saved && view.resource === resource.name) ?? null;
}

export function firstPageOf(resource: Resource, views: readonly SavedView[] = []): SavedView | undefined {
  return views.find((view) => view.isFirstPage && view.resource === resource.name);
}

/** After one of them was saved or deleted. */
export function readViewsAgain(queries: QueryClient): Promise<void> {
  return queries.invalidateQueries({ queryKey: KEY });
}
