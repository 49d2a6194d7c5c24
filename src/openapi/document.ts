/**
 * The description of the API as an OpenAPI document, derived from the catalog and the tables of routes, parameters, operators
 * and problems. Tests validate every response against it.
 */

import type { Catalog } from '../catalog/catalog.ts';
import { SCOPES } from '../catalog/scopes.ts';
import { MAX_INTEGER } from '../catalog/value-types.ts';
import { PROBLEMS_PATH } from '../problem/page.ts';
import { accountEndpoints } from '../request/endpoints.ts';
import { apiPaths, mcpPaths, publicPaths } from '../request/route.ts';
import { responseHeaders } from './headers.ts';
import type { Json, JsonObject } from './json.ts';
import { capitalized } from './operation-id.ts';
import { apiOperation, IMPORTS_TAG, mcpOperation, publicOperation, SERVICE_TAG, VIEWS_TAG } from './operations.ts';
import { sharedProblems } from './problems.ts';
import { schemas } from './schemas.ts';

export function openApiDocument(version: string, catalog: Catalog): JsonObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Stockbook',
      version,
      summary: "An account's products, partners and companies over JSON and HTTP.",
      description: INTRODUCTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'the host of the account' }],
    security: [{ key: [] }],
    tags: [
      ...catalog.resources.map(({ plural, meaning }) => ({
        name: capitalized(plural),
        description: `${capitalized(meaning)}.`,
      })),
      { name: IMPORTS_TAG, description: 'Imports, and how far their sources have been read.' },
      { name: VIEWS_TAG, description: 'Saved views of the console.' },
      { name: SERVICE_TAG, description: 'The service itself.' },
    ],
    paths: { ...apiPathItems(catalog), ...mcpPathItems(), ...publicPathItems() },
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: KEY },
        basic: { type: 'http', scheme: 'basic', description: BASIC },
      },
      headers: responseHeaders,
      responses: sharedProblems(),
      schemas: schemas(catalog),
    },
  };
}

const KEY = [
  'An API key: `sbk_…`; the operator issues it.',
  `Its scopes decide what it permits: ${SCOPES.map((scope) => `\`${scope}\``).join(', ')}. \`read\`, \`write\` and \`edit\` are for all resources.`,
  'Operations list the scopes that permit them; one is enough.',
].join('\n');

const BASIC =
  'For programs that cannot send another header, such as spreadsheets: the API key as the password, with any user name. Only for `GET` and `HEAD`, and not from another web page.';

const INTRODUCTION = [
  'Lists have field selection, a filter language, pages and an exact total; they can be streamed, followed and aggregated.',
  'Records are changed and removed one by one, or imported: any number of rows in one transaction.',
  'Errors are RFC 9457 problems with a stable `code`, and say how to fix the request.',
  '',
  'Every response may have more members, headers and problem codes in the future; nothing that is documented is removed from `/api/v1`.',
].join('\n');

function apiPathItems(catalog: Catalog): JsonObject {
  return Object.fromEntries(
    apiPaths.map(({ path, methods }) => [
      path,
      pathItem(
        path,
        Object.entries(methods).map(([method, endpoint]) => [method, apiOperation(endpoint, catalog)]),
      ),
    ]),
  );
}

function mcpPathItems(): JsonObject {
  return Object.fromEntries(mcpPaths.map(({ path }) => [path, { post: mcpOperation() }]));
}

function publicPathItems(): JsonObject {
  const items = publicPaths.flatMap(({ path, methods }): [string, JsonObject][] => {
    const operations = Object.entries(methods).flatMap(([method, endpoint]): [string, JsonObject][] => {
      const operation = publicOperation(endpoint);
      return operation === undefined ? [] : [[method, operation]];
    });
    return operations.length === 0 ? [] : [[path, pathItem(path, operations)]];
  });
  return Object.fromEntries(items);
}

/** OpenAPI 3.1 has no `QUERY`; the descriptions mention it. */
function pathItem(path: string, operations: readonly (readonly [string, JsonObject])[]): JsonObject {
  const parameter = /\{(\w+)\}$/.exec(path)?.[1];
  const parameters: readonly Json[] = parameter === undefined ? [] : [pathParameter(path, parameter)];
  return {
    ...(parameters.length > 0 && { parameters }),
    ...Object.fromEntries(
      operations.flatMap(([method, operation]) => (method === 'QUERY' ? [] : [[method.toLowerCase(), operation]])),
    ),
  };
}

const ID = { type: 'integer', minimum: 1, maximum: MAX_INTEGER } as const;

/** By path; those of records are ids. */
const pathParameters: Readonly<Record<string, JsonObject>> = {
  [accountEndpoints['import status'].path]: {
    description: 'the id of the import, as in the `Location` of a 202',
    schema: { type: 'string' },
  },
  [accountEndpoints.view.path]: {
    description: 'the id of the view, chosen by the client that saved it first',
    schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
    example: 'low-stock',
  },
  [accountEndpoints.source.path]: { description: 'the name of the source', schema: { type: 'string' }, example: 'erp' },
  [`${PROBLEMS_PATH}/{code}`]: {
    description: 'the code of a problem',
    schema: { type: 'string' },
    example: 'unknown_field',
  },
};

const RECORD_ID = { description: 'the identifier of the record; anything else is a 404', schema: ID, example: 7 };

function pathParameter(path: string, name: string): JsonObject {
  return { name, in: 'path', required: true, ...(pathParameters[path] ?? RECORD_ID) };
}
