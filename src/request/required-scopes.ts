/** Which scopes permit a request; one of them is enough. */

import { permittingScopes, type Scope } from '../catalog/scopes.ts';
import { accountEndpoints, resourceEndpoints } from './endpoints.ts';
import type { ApiEndpoint } from './route.ts';

export function requiredScopes(endpoint: ApiEndpoint): readonly Scope[] {
  return 'resource' in endpoint
    ? permittingScopes(resourceEndpoints[endpoint.kind].action, endpoint.resource)
    : accountEndpoints[endpoint.kind].scopes;
}
