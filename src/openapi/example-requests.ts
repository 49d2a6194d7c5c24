/** The requests whose responses are the examples of the document. `npm run openapi-examples` records them in the demo. */

import { apiPath, type Resource } from '../catalog/resource.ts';
import { type ApiEndpoint, apiPaths, type ResourceEndpoint } from '../request/route.ts';
import { operationId } from './operation-id.ts';

export interface ExampleRequest {
  /** The operation and the status of the response. */
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly body?: string;
}

const targets: Record<ResourceEndpoint['kind'], (resource: Resource) => string> = {
  list: (resource) => `${apiPath(resource)}?fields=id,name&filter=name*n&sort=-id&limit=2`,
  record: (resource) => `${apiPath(resource)}/5?fields=id,name`,
  create: apiPath,
  changes: (resource) => `${apiPath(resource)}/changes?fields=id,name&limit=2`,
  digest: (resource) => `${apiPath(resource)}/digest?fields=id,name`,
  aggregate: (resource) => `${apiPath(resource)}/aggregate?filter=id<=4&measures=count,max(id)&facets=name&limit=2`,
};

export function exampleRequests(): readonly ExampleRequest[] {
  return apiPaths.flatMap(({ methods }) =>
    Object.entries(methods).flatMap(([method, endpoint]) => (method === 'QUERY' ? [] : requestsFor(method, endpoint))),
  );
}

function requestsFor(method: string, endpoint: ApiEndpoint): readonly ExampleRequest[] {
  const operation = operationId(endpoint);
  // A code works once, and is a secret.
  if (endpoint.kind === 'sign in') return [];
  if (!('resource' in endpoint)) return [{ name: `${operation} 200`, method, target: '/api/v1/me' }];
  const { kind, resource } = endpoint;
  if (kind === 'create')
    return [{ name: `${operation} 201`, method, target: targets.create(resource), body: '{"name":"Azure Interior"}' }];
  const request = { name: `${operation} 200`, method, target: targets[kind](resource) };
  if (kind === 'list')
    return [request, { name: `${operation} 400`, method, target: `${apiPath(resource)}?filter=nane*chair` }];
  if (kind === 'record')
    return [request, { name: `${operation} 404`, method, target: `${apiPath(resource)}/999999999` }];
  return [request];
}
