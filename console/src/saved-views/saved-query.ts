/** What of a view is saved: everything but the page, the record that is shown, and whether changes are followed. */

import type { View as SavedView } from '@stockbook/client';
import { TODAY } from '../../../src/plan/view-query.ts';
import { readLocalTime, today } from '../format/local-time.ts';
import { pageCatalog } from '../session/page-catalog.ts';
import { readLink } from '../view/read-link.ts';
import { hrefOf, type View } from '../view/view.ts';
import { hasRelativeDays, withDaysOf } from './relative-days.ts';

export function savedQuery(view: View): string {
  const saved = { ...view, page: 1, record: undefined, isLive: false, saved: undefined };
  const query = hrefOf(saved).split('?')[1] ?? '';
  return hasRelativeDays(view.resource, view.filter) ? `${query}&${TODAY}=${today()}` : query;
}

/** The view as it was saved, with the days of today. Undefined if this version does not know its resource. */
export function openedView({ id, resource: name, query }: SavedView): View | undefined {
  const resource = pageCatalog().find(name);
  if (resource === undefined) return undefined;
  const { view } = readLink(`/${resource.plural}`, query);
  const then = readLocalTime(new URLSearchParams(query).get(TODAY) ?? '');
  const filter = then?.kind === 'day' ? withDaysOf(resource, view.filter, then.day, today()) : view.filter;
  return { ...view, filter, saved: id };
}

/** Whether something was changed since the view was opened. */
export function isChanged(view: View, saved: SavedView): boolean {
  const opened = openedView(saved);
  return opened !== undefined && savedQuery(view) !== savedQuery(opened);
}
