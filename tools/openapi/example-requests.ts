/**
 * The requests whose responses are the examples of the document. `npm run openapi-examples` records them in the demo, in this order: those
 * that change a resource come after those that read it.
 */

import { apiPath } from '../../src/catalog/resource.ts';
import { operationId } from '../../src/openapi/operation-id.ts';
import { type AccountKind, accountEndpoints, resourceEndpoints } from '../../src/request/endpoints.ts';
import { type ApiEndpoint, apiPaths } from '../../src/request/route.ts';

export interface ExampleRequest {
  /** The operation and the status of the response. */
  readonly name: string;
  readonly method: string;
  readonly target: string;
  readonly body?: string;
  readonly ifMatch?: string;
}

export function exampleRequests(): readonly ExampleRequest[] {
  return apiPaths.flatMap(({ methods }) =>
    Object.entries(methods).flatMap(([method, endpoint]) => (method === 'QUERY' ? [] : requestsFor(method, endpoint))),
  );
}

function requestsFor(method: string, endpoint: ApiEndpoint): readonly ExampleRequest[] {
  const operation = operationId(endpoint);
  if (!('resource' in endpoint)) {
    const row = accountEndpoints[endpoint.kind];
    return 'example' in row ? accountRequests(endpoint.kind, { name: operation, method, target: row.example }) : [];
  }
  const { kind, resource } = endpoint;
  const path = apiPath(resource);
  // A source belongs to one resource.
  const target = `${path}${resourceEndpoints[kind].example}${kind === 'import' ? resource.plural : ''}`;
  const unknown = { name: `${operation} 404`, method, target: `${path}/999999999` };
  const request = { name: `${operation} 200`, method, target };
  switch (kind) {
    case 'list':
      return [request, { name: `${operation} 400`, method, target: `${path}?filter=nane*chair` }];
    case 'create':
      return [{ name: `${operation} 201`, method, target, body: '{"name":"Azure Interior"}' }];
    case 'record':
      return [request, unknown];
    case 'update': {
      const body = '{"name":"Azure Interior"}';
      return [
        { ...request, body },
        { name: `${operation} 400`, method, target, body: '{"name":null}' },
        { name: `${operation} 412`, method, target, body, ifMatch: '"outdated"' },
      ];
    }
    case 'remove':
      // A success has no body.
      return [unknown];
    case 'import':
      return [
        { ...request, body: '[{"id":3,"name":"Azure Interior"},{"id":4,"removed":true}]' },
        { name: `${operation} 422`, method, target, body: '[{"id":3,"name":"Azure Interior"},{"id":5,"name":""}]' },
      ];
    default:
      return [request];
  }
}

/** `request` has the name of the operation. */
function accountRequests(kind: AccountKind, request: ExampleRequest): readonly ExampleRequest[] {
  const { name } = request;
  switch (kind) {
    case 'save view': {
      const body = '{"name":"Low stock","resource":"product","query":"filter=qty_available<5&sort=qty_available"}';
      return [
        { ...request, name: `${name} 201`, body },
        { ...request, name: `${name} 200`, body },
        { ...request, name: `${name} 400`, body: '{"name":" ","resource":"product","query":""}' },
        { ...request, name: `${name} 409`, body, target: `${request.target}-too` },
        { ...request, name: `${name} 412`, body: body.replace('<5', '<9'), ifMatch: '"outdated"' },
      ];
    }
    case 'report source':
      return [
        { ...request, name: `${name} 200`, body: '{"error":null}' },
        { ...request, name: `${name} 400`, body: '{"error":""}' },
      ];
    case 'remove view':
    case 'remove source':
      // A success has no body.
      return [{ ...request, name: `${name} 404` }];
    default:
      return [{ ...request, name: `${name} 200` }];
  }
}
