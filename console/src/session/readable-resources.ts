/** What the key of a session may read, in the order of the catalog. */

import type { Me } from 'stockbook/client';
import { catalog } from '../../../src/catalog/catalog.ts';
import type { Resource } from '../../../src/catalog/resource.ts';
import { permits } from '../../../src/catalog/scopes.ts';

export function readableResources({ key }: Me): readonly Resource[] {
  return catalog.filter((resource) => permits(key.scopes, 'read', resource));
}
