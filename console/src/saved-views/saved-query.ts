/** What of a view is saved: everything but the page, the record that is shown, and whether changes are followed. */

import type { View as SavedView } from '@stockbook/client';
import { catalog } from '../../../src/catalog/catalog.ts';
import { readLink } from '../view/read-link.ts';
import { hrefOf, type View } from '../view/view.ts';

export function savedQuery(view: View): string {
  const saved = { ...view, page: 1, record: undefined, isLive: false, saved: undefined };
  return hrefOf(saved).split('?')[1] ?? '';
}

/** The view as it was saved. Undefined if this version does not know its resource. */
export function openedView({ id, resource: name, query }: SavedView): View | undefined {
  const resource = catalog.find((known) => known.name === name);
  return resource && { ...readLink(`/${resource.plural}`, query).view, saved: id };
}

/** Whether something was changed since the view was opened. */
export function isChanged(view: View, saved: SavedView): boolean {
  const opened = openedView(saved);
  return opened !== undefined && savedQuery(view) !== savedQuery(opened);
}
