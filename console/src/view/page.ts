/** Which page of the console a path leads to: the records of a resource, an import into them, the list of imports, or none. */

import { catalog } from '../../../src/catalog/catalog.ts';
import type { Resource } from '../../../src/catalog/resource.ts';

export type Page = 'records' | 'import' | 'imports' | 'unknown';

export const IMPORTS = '/imports';

export function importPath({ plural }: Resource): string {
  return `/${plural}/import`;
}

export function pageOf(path: string): Page {
  if (path === IMPORTS) return 'imports';
  if (path === '/' || catalog.some(({ plural }) => path === `/${plural}`)) return 'records';
  return catalog.some((resource) => path === importPath(resource)) ? 'import' : 'unknown';
}
