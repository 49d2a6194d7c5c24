/** Which scopes permit each kind of request; one of them is enough. */

import type { ApiEndpoint } from '../request/route.ts';
import { SCOPES, type Scope } from '../store/store.ts';

export const permittingScopes: Record<ApiEndpoint['kind'], readonly Scope[]> = {
  list: ['read'],
  record: ['read'],
  changes: ['read'],
  digest: ['read'],
  aggregate: ['read'],
  create: ['write'],
  me: SCOPES,
  'sign in': ['sign-in'],
};
