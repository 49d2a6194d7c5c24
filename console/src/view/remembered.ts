/** What was shown last of each resource, for this tab: going elsewhere and back changes nothing. */

import type { Resource } from '../../../src/catalog/resource.ts';
import { BrowserStorage } from '../ui/browser-storage.ts';
import { readLink } from './read-link.ts';
import { hrefOf, type View } from './view.ts';

const PREFIX = 'stockbook-view-';

const storage = new BrowserStorage(() => sessionStorage);

export function remember(account: string, view: View): void {
  storage.set(nameOf(account, view.resource), hrefOf({ ...view, record: undefined, isLive: false }));
}

/** Undefined if nothing of the resource was shown yet. */
export function remembered(account: string, resource: Resource): View | undefined {
  const href = storage.get(nameOf(account, resource));
  return href === undefined ? undefined : readLink(`/${resource.plural}`, href.split('?')[1] ?? '').view;
}

/** Somebody may sign in to another account in the same tab. */
function nameOf(account: string, { name }: Resource): string {
  return `${PREFIX}${account}-${name}`;
}
