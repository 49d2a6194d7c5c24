/** What a view is called: in the title of the page, in bookmarks and in the history. */

import type { Resource } from '../../../src/catalog/resource.ts';
import type { View } from './view.ts';

/** `Products, list_price>100 - Stockbook`. */
export function viewTitle({ resource, filter }: View): string {
  return `${[resourceTitle(resource), ...(filter === '' ? [] : [filter])].join(', ')} - Stockbook`;
}

export function resourceTitle({ plural }: Resource): string {
  return plural.charAt(0).toUpperCase() + plural.slice(1);
}
