/** What the key of a session is good for, in the order of the catalog. */

import type { Me } from '@stockbook/client';
import { resources } from '../../../src/catalog/catalog.ts';
import type { Resource, ResourceOutline } from '../../../src/catalog/resource.ts';
import { permits } from '../../../src/catalog/scopes.ts';
import { pageCatalog } from './page-catalog.ts';

export function isReadable({ key }: Me, resource: ResourceOutline): boolean {
  return permits(key.scopes, 'read', resource);
}

export function isCreatable({ key }: Me, resource: ResourceOutline): boolean {
  return permits(key.scopes, 'write', resource);
}

export function isEditable({ key }: Me, resource: ResourceOutline): boolean {
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
    const permitted = resources.filter((resource) => isPermitted(me, resource)).map(({ plural }) => plural);
    return permitted.length === 0 ? [] : [`${verb} ${new Intl.ListFormat('en').format(permitted)}`];
  });
}

export function editableResources(me: Me): readonly Resource[] {
  return pageCatalog().resources.filter((resource) => isEditable(me, resource));
}

/** What it may read comes first: there is something to see. */
export function usableResources(me: Me): readonly Resource[] {
  const all = pageCatalog().resources;
  const readable = all.filter((resource) => isReadable(me, resource));
  const writable = all.filter((resource) => isCreatable(me, resource) || isEditable(me, resource));
  return [...readable, ...writable.filter((resource) => !readable.includes(resource))];
}
