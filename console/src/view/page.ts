/** Which page of the console a path leads to: the records of a resource, an import into them, the list of imports, or a saved view. */

import type { Resource } from '../../../src/catalog/resource.ts';

export type Page = 'records' | 'import' | 'imports' | 'view';

export const IMPORTS = '/imports';

/** The link to a saved view follows it with its id. */
export const VIEWS = '/views/';

export function importPath({ plural }: Resource): string {
  return `/${plural}/import`;
}

export function pageOf(path: string): Page {
  if (path === IMPORTS) return 'imports';
  if (path.startsWith(VIEWS)) return 'view';
  return path.endsWith('/import') ? 'import' : 'records';
}
