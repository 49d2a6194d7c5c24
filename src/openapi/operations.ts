/** What each kind of request does, and what it returns. */

import type { Catalog } from '../catalog/catalog.ts';
import type { Resource } from '../catalog/resource.ts';
import { SCOPES } from '../catalog/scopes.ts';
import type { ProblemCode } from '../problem/registry.ts';
import { accountEndpoints, resourceEndpoints } from '../request/endpoints.ts';
import { requiredScopes } from '../request/required-scopes.ts';
import type { AccountEndpoint, ApiEndpoint, PublicEndpoint, ResourceEndpoint } from '../request/route.ts';
import { examples } from './examples.ts';
import {
  CACHED,
  COMMON,
  type HeaderName,
  headerParameters,
  headerReferences,
  type RequestHeaderName,
} from './headers.ts';
import { ANY_OBJECT, type JsonObject, object, reference } from './json.ts';
import { capitalized, operationId, schemaName } from './operation-id.ts';
import { accountQueryParameters, queryParameters } from './parameters.ts';
import { ANYWHERE, AUTHENTICATED, mcpProblems, problemResponses, problemsOf } from './problems.ts';

interface Operation {
  readonly description?: string;
  readonly requestHeaders: readonly RequestHeaderName[];
  readonly requestBody?: JsonObject;
  readonly success: Success;
  /** Another response that is not a problem. */
  readonly alternative?: Success;
}

interface Success {
  readonly status: 200 | 201 | 202 | 204;
  readonly description: string;
  readonly headers: readonly HeaderName[];
  /** The schema of the body as JSON; undefined if there is no body. */
  readonly schema?: JsonObject;
  readonly otherFormats?: readonly OtherFormat[];
}

/** The name of the extension. */
export const OTHER_FORMATS = 'x-other-formats';

/** A format that a client has to ask for. */
interface OtherFormat {
  readonly type: string;
  /** The parameter `format`, if there is one. */
  readonly format?: string;
  readonly description: string;
}

const LINES: OtherFormat = {
  type: 'application/x-ndjson',
  format: 'ndjson',
  description: 'one JSON object per line; with `;end=line`, the last one has a member `end`',
};
const CSV: OtherFormat = {
  type: 'text/csv',
  format: 'csv',
  description:
    'RFC 4180, with the names of the fields in the first line; with `;excel-safe=true`, for spreadsheets, with their labels',
};
const EVENTS: OtherFormat = {
  type: 'text/event-stream',
  format: 'event-stream',
  description: 'events `changes`, each with a page as data and its cursor as id',
};

const ROWS: OtherFormat = { type: 'application/x-ndjson', description: 'one JSON object per line' };
const CSV_ROWS: OtherFormat = { type: 'text/csv', description: 'with the column names in the first line' };
const SHEET_ROWS: OtherFormat = {
  type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  description: 'a workbook of Excel',
};
const WORKBOOK: OtherFormat = {
  ...SHEET_ROWS,
  format: 'xlsx',
  description: 'a workbook of Excel, with up to 1,048,575 records; times are in UTC',
};

const LONG_QUERIES =
  'If the parameters are too long for a URL, send them as `application/x-www-form-urlencoded` in the body with the method `QUERY` (RFC 10008).';

const operations: Record<ResourceEndpoint['kind'], (resource: Resource) => Operation> = {
  list: (resource) => ({
    description: `A page of ${resource.plural}, with the exact total. With \`format=csv\`, \`format=xlsx\` or \`format=ndjson\` in the query, or the media type in \`Accept\`, all of them as a stream. ${LONG_QUERIES}`,
    requestHeaders: ['If-None-Match', 'Prefer'],
    success: {
      status: 200,
      description: 'a page',
      headers: [
        ...CACHED,
        'Link',
        'Preference-Applied',
        'Stockbook-Hint',
        'Content-Disposition',
        'Stockbook-Rows',
        'Stockbook-Revision',
        'Stockbook-Total',
      ],
      schema: reference('schemas', `${schemaName(resource)}List`),
      otherFormats: [LINES, CSV, WORKBOOK],
    },
  }),
  record: (resource) => ({
    requestHeaders: ['If-None-Match'],
    success: {
      status: 200,
      description: `the ${resource.name}`,
      headers: CACHED,
      schema: object({ data: reference('schemas', schemaName(resource)) }),
    },
  }),
  create: (resource) => ({
    description: 'The response is sent once the record is durable.',
    requestHeaders: ['Idempotency-Key'],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: reference('schemas', `New${schemaName(resource)}`),
          example: { name: 'Azure Interior' },
        },
      },
    },
    success: {
      status: 201,
      description: 'the id of the new record',
      headers: [...COMMON, 'Location', 'Idempotent-Replayed'],
      schema: object({ data: object({ id: { type: 'integer', minimum: 1 } }) }),
    },
  }),
  update: (resource) => ({
    description:
      'A JSON merge patch (RFC 7396), as `application/merge-patch+json` or `application/json`: members that are absent keep their values, and null sets null. A patch that changes nothing leaves the record as it is, with its `ETag` and its `write_date`.',
    requestHeaders: ['If-Match', 'Idempotency-Key'],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: reference('schemas', `${schemaName(resource)}Patch`),
          example: { name: 'Azure Interior' },
        },
      },
    },
    success: {
      status: 200,
      description: `the ${resource.name} as it is now`,
      headers: [...COMMON, 'ETag', 'Idempotent-Replayed'],
      schema: object({ data: reference('schemas', schemaName(resource)) }),
    },
  }),
  remove: (resource) => ({
    description: `The change feed returns the ${resource.name} as removed.`,
    requestHeaders: ['If-Match', 'Idempotency-Key'],
    success: {
      status: 204,
      description: `the ${resource.name} was removed`,
      headers: [...COMMON, 'Idempotent-Replayed'],
    },
  }),
  import: (resource) => ({
    description: `All rows in one transaction, all or nothing. A row updates the ${resource.name} that it identifies, or creates one; \`{"id":7,"removed":true}\` removes one, as in the change feed. The body is a JSON array of objects, one JSON object per line, CSV, or a workbook of Excel (.xlsx), and may be compressed with \`Content-Encoding: gzip\` or \`zstd\`. See the guide \`writing\`.`,
    requestHeaders: ['Prefer', 'Idempotency-Key'],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { type: 'array', items: reference('schemas', `${schemaName(resource)}Row`) },
          example: [{ id: 7, name: 'Azure Interior' }],
        },
      },
      ...formatsByType([ROWS, CSV_ROWS, SHEET_ROWS]),
    },
    success: {
      status: 200,
      description: 'what the import did, or, with `dry_run=true`, would do',
      headers: [...COMMON, 'Idempotent-Replayed'],
      schema: object({ data: reference('schemas', 'ImportResult') }),
    },
    alternative: {
      status: 202,
      description: 'with `Prefer: respond-async`: the body has arrived, and the import is running',
      headers: [...COMMON, 'Location', 'Preference-Applied'],
      schema: object({ data: object({ id: { type: 'string' }, state: { type: 'string', const: 'running' } }) }),
    },
  }),
  changes: (resource) => ({
    description: `What was written since a cursor: a page. With \`format=ndjson\` or \`format=event-stream\` in the query, or the media type in \`Accept\`, all there are as lines, or, as they are made, as server-sent events. ${LONG_QUERIES}`,
    requestHeaders: ['Prefer', 'Last-Event-ID'],
    success: {
      status: 200,
      description: 'changes in the order in which they were made',
      headers: [
        ...COMMON,
        'Content-Encoding',
        'Preference-Applied',
        'Content-Disposition',
        'Stockbook-Revision',
        'Stockbook-Oldest-Cursor',
        'X-Accel-Buffering',
      ],
      schema: reference('schemas', `${schemaName(resource)}Changes`),
      otherFormats: [LINES, EVENTS],
    },
  }),
  digest: () => ({
    description: `The SHA-256 of a list as \`application/x-ndjson\`. ${LONG_QUERIES}`,
    requestHeaders: ['If-None-Match'],
    success: {
      status: 200,
      description: 'the digest',
      headers: [...CACHED, 'Stockbook-Hint'],
      schema: object({ data: reference('schemas', 'Digest') }),
    },
  }),
  aggregate: () => ({
    description: `Measures of all records that match a filter, and of groups of them. ${LONG_QUERIES}`,
    requestHeaders: ['If-None-Match'],
    success: {
      status: 200,
      description: 'measures and facets',
      headers: [...CACHED, 'Stockbook-Hint'],
      schema: object({
        data: reference('schemas', 'Aggregate'),
        meta: object({ total: { type: 'integer', minimum: 0 } }),
      }),
    },
  }),
};

const accountOperations: Record<AccountEndpoint['kind'], Operation> = {
  me: {
    description: 'Any key may ask, whatever its scopes.',
    requestHeaders: [],
    success: {
      status: 200,
      description: 'the account, the key and its limits',
      headers: COMMON,
      schema: object({ data: reference('schemas', 'Me') }),
    },
  },
  'sign in': {
    description: 'The code is sent in place of a key. It works once; the key is valid for 12 hours.',
    requestHeaders: [],
    success: {
      status: 201,
      description: 'the key, which cannot be shown again',
      headers: COMMON,
      schema: object({ data: object({ key: { type: 'string', pattern: '^sbk_[0-9A-Za-z_]+$' } }) }),
    },
  },
  'start session': {
    description:
      'For the console, which signs in with a key, or with the code of a sign-in link in place of one. The session has a key of its own, in a cookie that no script can read; the console sends it in place of a key. It lasts 12 hours or, if it is remembered, 30 days, and never longer than the key.',
    requestHeaders: ['Stockbook-Console'],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: object({ remember: { type: 'boolean' } }) } },
    },
    success: { status: 204, description: 'the session has begun', headers: [...COMMON, 'Set-Cookie'] },
  },
  'end session': {
    description:
      'Revokes the key of the session, and removes its cookie. The key that the session began with keeps working.',
    requestHeaders: ['Stockbook-Console'],
    success: { status: 204, description: 'the session has ended', headers: [...COMMON, 'Set-Cookie'] },
  },
  imports: {
    description:
      'A page of the imports into the resources that the key may edit, over HTTP and from the command line, newest first.',
    requestHeaders: [],
    success: {
      status: 200,
      description: 'the imports',
      headers: [...COMMON, 'Link'],
      schema: object({
        data: { type: 'array', items: reference('schemas', 'Import') },
        meta: object({ count: { type: 'integer', minimum: 0 }, total: { type: 'integer', minimum: 0 } }),
        pagination: reference('schemas', 'Pagination'),
      }),
    },
  },
  'import status': {
    requestHeaders: [],
    success: {
      status: 200,
      description: 'the import',
      headers: COMMON,
      schema: object({ data: reference('schemas', 'Import') }),
    },
  },
  'cancel import': {
    description: 'Possible until its rows are committed. Nothing of a cancelled import is visible.',
    requestHeaders: [],
    success: { status: 204, description: 'the import was cancelled', headers: COMMON },
  },
  sources: {
    description: 'The last position of every source that was imported into a resource that the key may edit.',
    requestHeaders: [],
    success: {
      status: 200,
      description: 'the sources',
      headers: COMMON,
      schema: object({
        data: { type: 'array', items: reference('schemas', 'Source') },
        meta: object({ count: { type: 'integer', minimum: 0 } }),
      }),
    },
  },
  source: {
    requestHeaders: [],
    success: {
      status: 200,
      description: 'the source and its last position',
      headers: COMMON,
      schema: object({ data: reference('schemas', 'Source') }),
    },
  },
  'report source': {
    description:
      'For connectors that have looked and found nothing to import, or that fail. An import must have saved a position of the source before. What is reported is in the metrics of the service, and on the page of imports in the console.',
    requestHeaders: [],
    requestBody: {
      required: true,
      content: { 'application/json': { schema: reference('schemas', 'SourceReport'), example: { error: null } } },
    },
    success: {
      status: 200,
      description: 'the source',
      headers: COMMON,
      schema: object({ data: reference('schemas', 'Source') }),
    },
  },
  'remove source': {
    description:
      'Its position is forgotten, and its connector begins anew when it imports again. Records and the list of imports stay as they are.',
    requestHeaders: [],
    success: { status: 204, description: 'the source was removed', headers: COMMON },
  },
  'save view': {
    description:
      'Creates the view with this id, or replaces it. The id is chosen by the client, so a request can be repeated safely. With `If-Match`, a view that somebody else has changed or removed is left as it is. A view that becomes the first page of its resource replaces the one that was.',
    requestHeaders: ['If-Match'],
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: reference('schemas', 'NewView'),
          example: { name: 'Low stock', resource: 'product', query: 'filter=qty_available<5&sort=qty_available' },
        },
      },
    },
    success: {
      status: 200,
      description: 'the view as it is now',
      headers: [...COMMON, 'ETag'],
      schema: object({ data: reference('schemas', 'View') }),
    },
    alternative: {
      status: 201,
      description: 'there was no view with this id',
      headers: [...COMMON, 'ETag', 'Location'],
      schema: object({ data: reference('schemas', 'View') }),
    },
  },
  fields: {
    description:
      'Any key may ask, whatever its scopes. Operators add fields with `stockbook field add`, for all accounts.',
    requestHeaders: ['If-None-Match'],
    success: {
      status: 200,
      description: 'the fields, by resource, in the order in which records have them',
      headers: CACHED,
      schema: object({
        data: { type: 'array', items: reference('schemas', 'Field') },
        meta: object({ count: { type: 'integer', minimum: 0 } }),
      }),
    },
  },
  view: {
    description: 'Any key may ask, whatever its scopes.',
    requestHeaders: ['If-None-Match'],
    success: {
      status: 200,
      description: 'the view',
      headers: CACHED,
      schema: object({ data: reference('schemas', 'View') }),
    },
  },
  'remove view': {
    description: 'Records stay as they are.',
    requestHeaders: ['If-Match'],
    success: { status: 204, description: 'the view was removed', headers: COMMON },
  },
  views: {
    description: 'All views of the account, at most 200, by resource and name. Any key may ask, whatever its scopes.',
    requestHeaders: ['If-None-Match'],
    success: {
      status: 200,
      description: 'the views',
      headers: CACHED,
      schema: object({
        data: { type: 'array', items: reference('schemas', 'View') },
        meta: object({ count: { type: 'integer', minimum: 0 } }),
      }),
    },
  },
};

export function apiOperation(endpoint: ApiEndpoint, catalog: Catalog): JsonObject {
  const isOfResource = 'resource' in endpoint;
  const { description, requestHeaders, requestBody, success, alternative } = isOfResource
    ? operations[endpoint.kind](catalog.of(endpoint.resource))
    : accountOperations[endpoint.kind];
  const name = operationId(endpoint);
  const parameters = [
    ...(isOfResource
      ? queryParameters(endpoint.kind, catalog.of(endpoint.resource))
      : accountQueryParameters(endpoint.kind)),
    ...headerParameters(requestHeaders),
  ];
  return {
    operationId: name,
    tags: [tagOf(endpoint)],
    summary: capitalized(purposeOf(endpoint)),
    ...(description !== undefined && { description }),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== undefined && { requestBody }),
    ...securityOf(endpoint),
    responses: {
      [success.status]: successResponse(success, name),
      ...(alternative !== undefined && { [alternative.status]: successResponse(alternative, name) }),
      ...(requestHeaders.includes('If-None-Match') && NOT_MODIFIED),
      ...problemsOf(endpoint.kind, name),
    },
  };
}

export const IMPORTS_TAG = 'Imports';
export const VIEWS_TAG = 'Views';
export const SERVICE_TAG = 'Service';

function tagOf(endpoint: ApiEndpoint): string {
  return 'resource' in endpoint ? capitalized(endpoint.resource.plural) : (accountTags[endpoint.kind] ?? SERVICE_TAG);
}

/** Those of the others is `SERVICE_TAG`. */
const accountTags: Partial<Record<AccountEndpoint['kind'], string>> = {
  imports: IMPORTS_TAG,
  'import status': IMPORTS_TAG,
  'cancel import': IMPORTS_TAG,
  sources: IMPORTS_TAG,
  source: IMPORTS_TAG,
  'report source': IMPORTS_TAG,
  'remove source': IMPORTS_TAG,
  'save view': VIEWS_TAG,
  view: VIEWS_TAG,
  'remove view': VIEWS_TAG,
  views: VIEWS_TAG,
};

/** Basic authentication is for requests that only read. */
function securityOf(endpoint: ApiEndpoint): JsonObject {
  const scopes = needsScope(endpoint) ? requiredScopes(endpoint).map((scope) => [scope]) : [[]];
  const { method } = 'resource' in endpoint ? resourceEndpoints[endpoint.kind] : accountEndpoints[endpoint.kind];
  const schemes = method === 'GET' ? ['key', 'basic'] : ['key'];
  return { security: schemes.flatMap((scheme) => scopes.map((permitting) => ({ [scheme]: permitting }))) };
}

/** Any key may do the rest, apart from signing in, which needs a code. */
function needsScope(endpoint: ApiEndpoint): boolean {
  const scopes = requiredScopes(endpoint);
  return scopes !== SCOPES && !scopes.includes('sign-in');
}

function purposeOf(endpoint: ApiEndpoint): string {
  return 'resource' in endpoint
    ? resourceEndpoints[endpoint.kind].purpose(endpoint.resource)
    : accountEndpoints[endpoint.kind].purpose;
}

/**
 * The content is JSON and nothing else: of several media types, generators make a union that programs cannot use, or a raw
 * stream. The other formats are an extension, which generators ignore.
 */
function successResponse(
  { status, description, headers, schema, otherFormats = [] }: Success,
  name: string,
): JsonObject {
  const example = examples[`${name} ${status}`];
  if (schema === undefined) return { description, headers: headerReferences(headers) };
  const json = {
    schema,
    ...(example !== undefined && { examples: { recorded: { summary: example.request, value: example.response } } }),
  };
  return {
    description,
    headers: headerReferences(headers),
    content: { 'application/json': json },
    ...formatsByType(otherFormats),
  };
}

function formatsByType(formats: readonly OtherFormat[]): JsonObject {
  const entries = formats.map(({ type, format, description }) => [
    type,
    { description, ...(format !== undefined && { format }) },
  ]);
  return entries.length === 0 ? {} : { [OTHER_FORMATS]: Object.fromEntries(entries) };
}

const NOT_MODIFIED: JsonObject = {
  '304': {
    description: 'nothing has changed since `If-None-Match`',
    headers: headerReferences([...CACHED, 'Preference-Applied']),
  },
};

/** JSON-RPC, which OpenAPI does not describe. */
export function mcpOperation(): JsonObject {
  const message = { 'application/json': { schema: ANY_OBJECT } };
  return {
    operationId: 'callTool',
    tags: [SERVICE_TAG],
    summary: 'Call a tool, as an AI agent',
    description: 'A message of the Model Context Protocol: JSON-RPC 2.0, without sessions. See the guide `mcp`.',
    requestBody: { required: true, content: message },
    responses: {
      '200': { description: 'the result', headers: headerReferences(COMMON), content: message },
      '202': { description: 'a notification was received', headers: headerReferences(COMMON) },
      '404': { description: 'there is no such method', headers: headerReferences(COMMON), content: message },
      ...mcpProblems('callTool', message),
    },
  };
}

interface PublicOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  /** The media type of the body, and its schema. */
  readonly content: JsonObject;
  readonly otherFormats?: readonly OtherFormat[];
  /** Whether it may be sent with a key, which makes a difference. */
  readonly isForKeys?: true;
}

/** Browsers get a page, even in place of a problem. */
const FOR_BROWSERS: readonly OtherFormat[] = [{ type: 'text/html', description: 'a page for browsers' }];
const READABLE = { content: { 'text/plain': { schema: { type: 'string' } } }, otherFormats: FOR_BROWSERS };

/** Undefined for pages that are made for people. */
const publicOperations: Record<PublicEndpoint['kind'], PublicOperation | undefined> = {
  openapi: {
    operationId: 'getOpenApi',
    summary: 'Get this document',
    description: 'Without a key it has the built-in fields, with any key also those that operators have added.',
    content: { 'application/json': { schema: ANY_OBJECT } },
    isForKeys: true,
  },
  'problem list': { operationId: 'listProblems', summary: 'List all errors', ...READABLE },
  'problem page': { operationId: 'getProblem', summary: 'Explain an error', ...READABLE },
  reference: undefined,
  scalar: undefined,
  asset: undefined,
  guide: undefined,
  console: undefined,
  'console asset': undefined,
};

const ownProblems: Partial<Record<PublicEndpoint['kind'], readonly ProblemCode[]>> = {
  'problem list': ['not_acceptable'],
  'problem page': ['not_acceptable', 'path_not_found'],
};

export function publicOperation({ kind }: PublicEndpoint): JsonObject | undefined {
  const operation = publicOperations[kind];
  if (operation === undefined) return undefined;
  const { content, otherFormats = [], isForKeys, ...rest } = operation;
  const formats = formatsByType(otherFormats);
  const problems = problemResponses(
    [...(isForKeys ? AUTHENTICATED : ANYWHERE), ...(ownProblems[kind] ?? [])],
    rest.operationId,
  );
  return {
    ...rest,
    tags: [SERVICE_TAG],
    security: isForKeys ? [{}, { key: [] }, { basic: [] }] : [],
    responses: {
      '200': { description: 'OK', headers: headerReferences(CACHED), content, ...formats },
      ...NOT_MODIFIED,
      ...withFormats(problems, formats),
    },
  };
}

/** Nothing may stand beside a reference to a response that many operations share. */
function withFormats(responses: JsonObject, formats: JsonObject): JsonObject {
  const entries = Object.entries(responses).map(([status, response]) => {
    const inline = Object(response);
    return [status, '$ref' in inline ? response : { ...inline, ...formats }];
  });
  return Object.fromEntries(entries);
}
