/** Which scopes permit a request; one of them is enough. */

import { type Action, permittingScopes, SCOPES, type Scope } from '../catalog/scopes.ts';
import type { ApiEndpoint, KeyEndpoint, ResourceEndpoint } from './route.ts';

const actions: Record<ResourceEndpoint['kind'], Action> = {
  list: 'read',
  record: 'read',
  changes: 'read',
  digest: 'read',
  aggregate: 'read',
  create: 'write',
};

const ofKeys: Record<KeyEndpoint['kind'], readonly Scope[]> = {
  me: SCOPES,
  'sign in': ['sign-in'],
};

export function requiredScopes(endpoint: ApiEndpoint): readonly Scope[] {
  return 'resource' in endpoint ? permittingScopes(actions[endpoint.kind], endpoint.resource) : ofKeys[endpoint.kind];
}
