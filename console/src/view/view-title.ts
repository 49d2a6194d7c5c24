/** What a view is called: in the title of the page, in bookmarks and in the history. */

import type { Resource } from '../../../src/catalog/resource.ts';
import { spokenText } from '../query/condition-words.ts';
import type { Page } from './page.ts';
import type { View } from './view.ts';

/** `Products, oak chair, Sales price is more than 100 - Stockbook`, or `Low stock - Stockbook` if a saved view was opened. */
export function pageTitle(page: Page, { resource, q, filter }: View, saved?: string): string {
  switch (page) {
    case 'imports':
      return 'Imports - Stockbook';
    case 'import':
      return `Import ${resource.plural} - Stockbook`;
    case 'view':
      return 'View - Stockbook';
    case 'unknown':
      return 'No page - Stockbook';
    case 'records':
      if (saved !== undefined) return `${saved} - Stockbook`;
      return `${[resourceTitle(resource), q, spokenText(resource, filter)].filter((part) => part !== '').join(', ')} - Stockbook`;
  }
}

export function resourceTitle({ plural }: Resource): string {
  return plural.charAt(0).toUpperCase() + plural.slice(1);
}
