/** Which page of the console a path leads to: records of a resource, an import into them, the list of imports, a saved view, or none. */

import { resources } from '../../../src/catalog/catalog.ts';
import type { ResourceOutline } from '../../../src/catalog/resource.ts';

export type Page = 'records' | 'import' | 'imports' | 'view' | 'unknown';

export const IMPORTS = '/imports';

/** The link to a saved view follows it with its id. */
export const VIEWS = '/views/';

export function importPath({ plural }: ResourceOutline): string {
  return `/${plural}/import`;
}

/** A slash at the end makes no difference, as in the API. */
export function withoutLastSlash(path: string): string {
  return path === '/' ? path : path.replace(/\/$/, '');
}

export function pageOf(given: string): Page {
  const path = withoutLastSlash(given);
  if (path === IMPORTS) return 'imports';
  if (path.startsWith(VIEWS)) return 'view';
  if (path === '/' || resources.some(({ plural }) => path === `/${plural}`)) return 'records';
  return resources.some((resource) => path === importPath(resource)) ? 'import' : 'unknown';
}
