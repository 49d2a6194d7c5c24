/** What the key of a session is good for, in the order of the catalog. */

import type { Me } from '@stockbook/client';
import { builtInCatalog } from '../../../src/catalog/catalog.ts';
import type { Resource } from '../../../src/catalog/resource.ts';
import { permits } from '../../../src/catalog/scopes.ts';

export function isReadable({ key }: Me, resource: Resource): boolean {
  return permits(key.scopes, 'read', resource);
}

export function isCreatable({ key }: Me, resource: Resource): boolean {
  return permits(key.scopes, 'write', resource);
}

export function isEditable({ key }: Me, resource: Resource): boolean {
  return permits(key.scopes, 'edit', resource);
}

export function maySaveViews({ key }: Me): boolean {
  return key.scopes.includes('write');
}

/** "see products and partners", "create partners". */
export function permissionWords(me: Me): readonly string[] {
  const permissions = [
    ['see', isReadable],
    ['create', isCreatable],
    ['change, remove and import', isEditable],
  ] as const;
  return permissions.flatMap(([verb, isPermitted]) => {
    const permitted = builtInCatalog.resources
      .filter((resource) => isPermitted(me, resource))
      .map(({ plural }) => plural);
    return permitted.length === 0 ? [] : [`${verb} ${new Intl.ListFormat('en').format(permitted)}`];
  });
}

export function editableResources(me: Me): readonly Resource[] {
  return builtInCatalog.resources.filter((resource) => isEditable(me, resource));
}

/** What it may read comes first: there is something to see. */
export function usableResources(me: Me): readonly Resource[] {
  const readable = builtInCatalog.resources.filter((resource) => isReadable(me, resource));
  const writable = builtInCatalog.resources.filter((resource) => isCreatable(me, resource) || isEditable(me, resource));
  return [...readable, ...writable.filter((resource) => !readable.includes(resource))];
}
