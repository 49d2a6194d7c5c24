/** The view in the URL, and how components change it. */

import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { readLink } from './read-link.ts';
import { hrefOf, type View } from './view.ts';

export type ViewChange = Partial<Omit<View, 'resource'>>;

export interface ViewState {
  readonly view: View;
  /** The back button brings back what was shown before. */
  readonly show: (change: ViewChange) => void;
  /** Changes what is shown without a step for the back button, as while a person types or drags. */
  readonly adjust: (change: ViewChange) => void;
}

export function useView(): ViewState {
  const [path, navigate] = useLocation();
  const search = useSearch();
  const view = useMemo(() => readLink(path, search).view, [path, search]);
  const change = useCallback(
    (changed: ViewChange, replace: boolean) => {
      // Not the view of this render: several changes may be made in one event.
      const current = readLink(location.pathname, location.search).view;
      const href = hrefOf(withChange(current, changed));
      // The back button would seem to do nothing.
      if (href !== hrefOf(current)) navigate(href, { replace });
    },
    [navigate],
  );
  const show = useCallback((changed: ViewChange) => change(changed, false), [change]);
  const adjust = useCallback((changed: ViewChange) => change(changed, true), [change]);
  return { view, show, adjust };
}

/** Other records are shown from the first page on. */
function withChange(view: View, change: ViewChange): View {
  const { q, filter, sort, limit } = change;
  const isOtherList = [q, filter, sort, limit].some((changed) => changed !== undefined);
  return { ...view, ...(isOtherList && { page: 1 }), ...change };
}
