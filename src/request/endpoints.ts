/**
 * The endpoints of the API, one row each. Routes, scopes, the OpenAPI document and the docs read this table; handlers/ says what
 * they do, and openapi/operations.ts what they return.
 */

import type { ResourceOutline } from '../catalog/resource.ts';
import { type Action, EDIT_SCOPES, SCOPES, type Scope } from '../catalog/scopes.ts';
import {
  AGGREGATE_PARAMETERS,
  CHANGES_PARAMETERS,
  DIGEST_PARAMETERS,
  IMPORT_PARAMETERS,
  LIST_PARAMETERS,
  NO_PARAMETERS,
  PAGE_PARAMETERS,
  type ParameterName,
  RECORD_PARAMETERS,
} from './parameters.ts';

interface ResourceRow {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the path of the resource. The last segment may be a parameter: `{id}`. */
  readonly path: string;
  /** What a key has to permit. */
  readonly action: Action;
  readonly parameters: readonly ParameterName[];
  /** The name of the operation, from those of the resource in the singular and in the plural. */
  readonly operation: (one: string, many: string) => string;
  readonly purpose: (resource: ResourceOutline) => string;
  /** The end of the target of a request that shows what it does, in the demo. */
  readonly example: string;
}

/** What is requested of a resource. */
export const resourceEndpoints = {
  list: {
    method: 'GET',
    path: '',
    action: 'read',
    parameters: LIST_PARAMETERS,
    operation: (_, many) => `list${many}`,
    purpose: ({ plural }) => `list ${plural}`,
    example: '?fields=id,name&filter=name*n&sort=-id&limit=2',
  },
  create: {
    method: 'POST',
    path: '',
    action: 'write',
    parameters: NO_PARAMETERS,
    operation: (one) => `create${one}`,
    purpose: ({ name }) => `create a ${name}`,
    example: '',
  },
  changes: {
    method: 'GET',
    path: '/changes',
    action: 'read',
    parameters: CHANGES_PARAMETERS,
    operation: (one) => `list${one}Changes`,
    purpose: ({ plural }) => `follow the changes of ${plural}`,
    example: '/changes?fields=id,name&limit=2',
  },
  digest: {
    method: 'GET',
    path: '/digest',
    action: 'read',
    parameters: DIGEST_PARAMETERS,
    operation: (one) => `get${one}Digest`,
    purpose: ({ plural }) => `prove that a copy of the ${plural} is complete`,
    example: '/digest?fields=id,name',
  },
  aggregate: {
    method: 'GET',
    path: '/aggregate',
    action: 'read',
    parameters: AGGREGATE_PARAMETERS,
    operation: (_, many) => `aggregate${many}`,
    purpose: ({ plural }) => `count, add up and group ${plural}`,
    example: '/aggregate?filter=id<=4&measures=count,max(id)&facets=name&limit=2',
  },
  record: {
    method: 'GET',
    path: '/{id}',
    action: 'read',
    parameters: RECORD_PARAMETERS,
    operation: (one) => `get${one}`,
    purpose: ({ name }) => `get one ${name}`,
    example: '/5?fields=id,name',
  },
  update: {
    method: 'PATCH',
    path: '/{id}',
    action: 'edit',
    parameters: NO_PARAMETERS,
    operation: (one) => `update${one}`,
    purpose: ({ name }) => `change a ${name}`,
    example: '/5',
  },
  remove: {
    method: 'DELETE',
    path: '/{id}',
    action: 'edit',
    parameters: NO_PARAMETERS,
    operation: (one) => `remove${one}`,
    purpose: ({ name }) => `remove a ${name}`,
    example: '/5',
  },
  import: {
    method: 'POST',
    path: '/import',
    action: 'edit',
    parameters: IMPORT_PARAMETERS,
    operation: (_, many) => `import${many}`,
    purpose: ({ plural }) => `create, change and remove any number of ${plural} in one transaction`,
    example: '/import?position=2026-11-17T08:00:00Z&source=erp-',
  },
} as const satisfies Record<string, ResourceRow>;

interface AccountRow {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** One of them is enough. */
  readonly scopes: readonly Scope[];
  /** None if absent. */
  readonly parameters?: readonly ParameterName[];
  readonly operation: string;
  readonly purpose: string;
  /** The target of a request that shows what it returns, in the demo. A code works once, and nobody knows the id of an import. */
  readonly example?: string;
}

/** Views belong to the account, and not to one resource. */
const WRITE: readonly Scope[] = ['write'];

/** About the account and the key of a request. */
export const accountEndpoints = {
  me: {
    method: 'GET',
    path: '/api/v1/me',
    scopes: SCOPES,
    operation: 'getMe',
    purpose: 'get what the key is and may do',
    example: '/api/v1/me',
  },
  fields: {
    method: 'GET',
    path: '/api/v1/fields',
    scopes: SCOPES,
    operation: 'listFields',
    purpose: 'list the fields of all resources, including those that operators have added',
    example: '/api/v1/fields',
  },
  'sign in': {
    method: 'POST',
    path: '/api/v1/sign-in',
    scopes: ['sign-in'],
    operation: 'signIn',
    purpose: 'exchange the code of a sign-in link for a key',
  },
  'start session': {
    method: 'POST',
    path: '/api/v1/session',
    scopes: ['sign-in', ...SCOPES],
    operation: 'startSession',
    purpose: 'sign in to the console: begin a session, with a cookie',
  },
  'end session': {
    method: 'DELETE',
    path: '/api/v1/session',
    scopes: SCOPES,
    operation: 'endSession',
    purpose: 'sign out of the console: end the session and revoke its key',
  },
  imports: {
    method: 'GET',
    path: '/api/v1/imports',
    scopes: EDIT_SCOPES,
    parameters: PAGE_PARAMETERS,
    operation: 'listImports',
    purpose: 'list the imports of the last 30 days',
    example: '/api/v1/imports',
  },
  'import status': {
    method: 'GET',
    path: '/api/v1/imports/{id}',
    scopes: EDIT_SCOPES,
    operation: 'getImport',
    purpose: 'get the progress of an import, or its result',
  },
  'cancel import': {
    method: 'DELETE',
    path: '/api/v1/imports/{id}',
    scopes: EDIT_SCOPES,
    operation: 'cancelImport',
    purpose: 'cancel a running import',
  },
  sources: {
    method: 'GET',
    path: '/api/v1/sources',
    scopes: EDIT_SCOPES,
    operation: 'listSources',
    purpose: 'list the sources of imports, and their last positions',
    example: '/api/v1/sources',
  },
  source: {
    method: 'GET',
    path: '/api/v1/sources/{name}',
    scopes: EDIT_SCOPES,
    operation: 'getSource',
    purpose: 'get the last position of a source',
    example: '/api/v1/sources/erp-products',
  },
  'report source': {
    method: 'PUT',
    path: '/api/v1/sources/{name}',
    scopes: EDIT_SCOPES,
    operation: 'reportSource',
    purpose: 'report that everything was imported from a source, or why that fails',
    example: '/api/v1/sources/erp-products',
  },
  'remove source': {
    method: 'DELETE',
    path: '/api/v1/sources/{name}',
    scopes: EDIT_SCOPES,
    operation: 'removeSource',
    purpose: 'remove a source and its position; records stay as they are',
    example: '/api/v1/sources/no-such-source',
  },
  'save view': {
    method: 'PUT',
    path: '/api/v1/views/{id}',
    scopes: WRITE,
    operation: 'saveView',
    purpose: 'save a view',
    example: '/api/v1/views/low-stock',
  },
  view: {
    method: 'GET',
    path: '/api/v1/views/{id}',
    scopes: SCOPES,
    operation: 'getView',
    purpose: 'get a saved view',
    example: '/api/v1/views/low-stock',
  },
  'remove view': {
    method: 'DELETE',
    path: '/api/v1/views/{id}',
    scopes: WRITE,
    operation: 'removeView',
    purpose: 'remove a saved view',
    example: '/api/v1/views/no-such-view',
  },
  views: {
    method: 'GET',
    path: '/api/v1/views',
    scopes: SCOPES,
    operation: 'listViews',
    purpose: 'list the saved views of the account',
    example: '/api/v1/views',
  },
} as const satisfies Record<string, AccountRow>;

export type ResourceKind = keyof typeof resourceEndpoints;
export type AccountKind = keyof typeof accountEndpoints;

export const resourceKinds: readonly ResourceKind[] = Object.keys(resourceEndpoints).filter(
  (kind): kind is ResourceKind => Object.hasOwn(resourceEndpoints, kind),
);

export const accountKinds: readonly AccountKind[] = Object.keys(accountEndpoints).filter((kind): kind is AccountKind =>
  Object.hasOwn(accountEndpoints, kind),
);
