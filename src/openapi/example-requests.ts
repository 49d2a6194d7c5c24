/** The requests whose responses are the examples of the document. `npm run openapi-examples` records them in the demo. */

import { apiPath } from '../catalog/resource.ts';
import { accountEndpoints, resourceEndpoints } from '../request/endpoints.ts';
import { type ApiEndpoint, apiPaths } from '../request/route.ts';
import { operationId } from './operation-id.ts';

export interface ExampleRequest {
  /** The operation and the status of the response. */
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly body?: string;
}

export function exampleRequests(): readonly ExampleRequest[] {
  return apiPaths.flatMap(({ methods }) =>
    Object.entries(methods).flatMap(([method, endpoint]) => (method === 'QUERY' ? [] : requestsFor(method, endpoint))),
  );
}

function requestsFor(method: string, endpoint: ApiEndpoint): readonly ExampleRequest[] {
  const operation = operationId(endpoint);
  if (!('resource' in endpoint)) {
    const { path, isExample } = accountEndpoints[endpoint.kind];
    return isExample ? [{ name: `${operation} 200`, method, target: path }] : [];
  }
  const { kind, resource } = endpoint;
  const path = apiPath(resource);
  const target = `${path}${resourceEndpoints[kind].example}`;
  if (kind === 'create') return [{ name: `${operation} 201`, method, target, body: '{"name":"Azure Interior"}' }];
  const request = { name: `${operation} 200`, method, target };
  if (kind === 'list') return [request, { name: `${operation} 400`, method, target: `${path}?filter=nane*chair` }];
  if (kind === 'record') return [request, { name: `${operation} 404`, method, target: `${path}/999999999` }];
  return [request];
}
