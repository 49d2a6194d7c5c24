/** The name of an operation: `listProducts`, `getProduct`, `createPartner`, `getMe`. */

import type { Resource } from '../catalog/resource.ts';
import type { ApiEndpoint, KeyEndpoint, ResourceEndpoint } from '../request/route.ts';

export function operationId(endpoint: ApiEndpoint): string {
  if (!('resource' in endpoint)) return keyNames[endpoint.kind];
  const { kind, resource } = endpoint;
  return names[kind](capitalized(resource.name), capitalized(resource.plural));
}

const keyNames: Record<KeyEndpoint['kind'], string> = { me: 'getMe', 'sign in': 'signIn' };

const names: Record<ResourceEndpoint['kind'], (one: string, many: string) => string> = {
  list: (_, many) => `list${many}`,
  record: (one) => `get${one}`,
  create: (one) => `create${one}`,
  changes: (one) => `list${one}Changes`,
  digest: (one) => `get${one}Digest`,
  aggregate: (_, many) => `aggregate${many}`,
};

/** `product` to `Product`, the name of its schema. */
export function schemaName({ name }: Resource): string {
  return capitalized(name);
}

export function capitalized(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
