/** Which page of the console a path leads to: the records of a resource, an import into them, or the list of imports. */

import type { Resource } from '../../../src/catalog/resource.ts';

export type Page = 'records' | 'import' | 'imports';

export const IMPORTS = '/imports';

export function importPath({ plural }: Resource): string {
  return `/${plural}/import`;
}

export function pageOf(path: string): Page {
  if (path === IMPORTS) return 'imports';
  return path.endsWith('/import') ? 'import' : 'records';
}
