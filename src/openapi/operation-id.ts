/** The name of an operation: `listProducts`, `getProduct`, `createPartner`, `getMe`. */

import type { ResourceOutline } from '../catalog/resource.ts';
import { accountEndpoints, resourceEndpoints } from '../request/endpoints.ts';
import type { ApiEndpoint } from '../request/route.ts';

export function operationId(endpoint: ApiEndpoint): string {
  if (!('resource' in endpoint)) return accountEndpoints[endpoint.kind].operation;
  const { kind, resource } = endpoint;
  return resourceEndpoints[kind].operation(capitalized(resource.name), capitalized(resource.plural));
}

/** `product` to `Product`, the name of its schema. */
export function schemaName({ name }: ResourceOutline): string {
  return capitalized(name);
}

export function capitalized(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
