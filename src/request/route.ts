/**
 * Path and method to what is requested.
 *
 *     GET /api/v1/resources/partner/7    { kind: 'record', resource: partner, parameter: '7' }
 *
 * Every path is a row of one table; docs and tests read it.
 */

import { resources } from '../catalog/catalog.ts';
import { apiPath, type ResourceOutline } from '../catalog/resource.ts';
import { isPossible } from '../catalog/scopes.ts';
import { nearest } from '../problem/nearest.ts';
import { PROBLEMS_PATH } from '../problem/page.ts';
import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import {
  type AccountKind,
  accountEndpoints,
  accountKinds,
  type ResourceKind,
  resourceEndpoints,
  resourceKinds,
} from './endpoints.ts';
import type { ParameterName } from './parameters.ts';
import { DESCRIPTION_PATH, type Location, type Target } from './target.ts';

/** What is requested of a resource. */
export interface ResourceEndpoint {
  readonly kind: ResourceKind;
  readonly resource: ResourceOutline;
}

/** About the account and the key of a request. */
export interface AccountEndpoint {
  readonly kind: AccountKind;
}

export type ApiEndpoint = ResourceEndpoint | AccountEndpoint;

/** For AI agents, whose calls are requests of the API. */
export interface McpEndpoint {
  readonly kind: 'mcp';
}

/** Needs no key, since it shows nothing of any account. The description of the API shows more with one. */
export interface PublicEndpoint {
  readonly kind:
    | 'openapi'
    | 'reference'
    | 'scalar'
    | 'asset'
    | 'guide'
    | 'problem list'
    | 'problem page'
    | 'console'
    | 'console asset';
}

/** An endpoint with the value of its path parameter; empty if it has none. */
export type Route<Endpoint> = Endpoint & { readonly parameter: string };

/** `OPTIONS`: which methods a path supports. */
export interface OptionsRoute {
  readonly kind: 'options';
  readonly allow: string;
}

interface Path<Endpoint> {
  /** The last segment may be a parameter: `{id}`. */
  readonly path: string;
  /** Besides `HEAD`, which every path with `GET` supports, and `OPTIONS`. */
  readonly methods: Readonly<Record<string, Endpoint>>;
  /** What each method is for, as the docs say it. */
  readonly purposes: Readonly<Record<string, string>>;
}

/** A path that is read without a key. */
function page(path: string, kind: PublicEndpoint['kind'], purpose: string): Path<PublicEndpoint> {
  return { path, methods: { GET: { kind } }, purposes: { GET: `${purpose}; no key required` } };
}

export const publicPaths: readonly Path<PublicEndpoint>[] = [
  {
    path: DESCRIPTION_PATH,
    methods: { GET: { kind: 'openapi' } },
    purposes: {
      GET: 'get the description of the API as an OpenAPI 3.1 document; no key required, but with one it has the fields that operators have added',
    },
  },
  page('/docs', 'reference', 'the reference of the API, in which requests can be sent'),
  page('/docs/assets/scalar.js', 'scalar', 'the script that shows the reference'),
  page('/docs/assets/{name}', 'asset', 'a stylesheet, script or icon of these pages'),
  page('/docs/guides', 'guide', 'list the guides'),
  page('/docs/guides/{name}', 'guide', 'read a guide, such as this one'),
  page(PROBLEMS_PATH, 'problem list', 'list all errors, as HTML for browsers, otherwise as plain text'),
  page(`${PROBLEMS_PATH}/{code}`, 'problem page', 'explain an error, as HTML for browsers, otherwise as plain text'),
  // One page; what it shows of the account is in the path and the query.
  page('/', 'console', 'the console, as HTML for browsers, otherwise a text that says where the API is'),
  ...resources.map(({ plural }) => page(`/${plural}`, 'console', `the console, showing ${plural}`)),
  ...resources.map(({ plural }) => page(`/${plural}/import`, 'console', `the console, importing ${plural}`)),
  page('/imports', 'console', 'the console, showing the last imports'),
  page('/views/{id}', 'console', 'the console, showing a saved view'),
  page('/console/assets/{name}', 'console asset', 'a script or stylesheet of the console'),
];

const resourcePaths: readonly Path<ResourceEndpoint>[] = resources.flatMap((resource) => {
  const kinds = resourceKinds.filter((kind) => isPossible(resourceEndpoints[kind].action, resource));
  return [...Map.groupBy(kinds, (kind) => resourceEndpoints[kind].path)].map(([path, ofPath]) => ({
    path: `${apiPath(resource)}${path}`,
    methods: Object.fromEntries(ofPath.flatMap((kind) => methodsOf({ kind, resource }))),
    purposes: Object.fromEntries(
      ofPath.map((kind) => [resourceEndpoints[kind].method, resourceEndpoints[kind].purpose(resource)]),
    ),
  }));
});

/** RFC 10008: `QUERY` is `GET` with its parameters in the body. Only with a filter can they be too long for a URL. */
function methodsOf(endpoint: ResourceEndpoint): readonly (readonly [string, ResourceEndpoint])[] {
  const { method, parameters }: { method: string; parameters: readonly ParameterName[] } =
    resourceEndpoints[endpoint.kind];
  return [[method, endpoint], ...(parameters.includes('filter') ? [['QUERY', endpoint] as const] : [])];
}

const accountPaths: readonly Path<AccountEndpoint>[] = [
  ...Map.groupBy(accountKinds, (kind) => accountEndpoints[kind].path),
].map(([path, kinds]) => ({
  path,
  methods: Object.fromEntries(kinds.map((kind) => [accountEndpoints[kind].method, { kind }])),
  purposes: Object.fromEntries(kinds.map((kind) => [accountEndpoints[kind].method, accountEndpoints[kind].purpose])),
}));

export const apiPaths: readonly Path<ApiEndpoint>[] = [...resourcePaths, ...accountPaths];

export const mcpPaths: readonly Path<McpEndpoint>[] = [
  { path: '/mcp', methods: { POST: { kind: 'mcp' } }, purposes: { POST: 'tools for AI agents: [mcp.md](mcp.md)' } },
];

export const findPublicRoute = matcher(publicPaths);
export const findApiRoute = matcher(apiPaths);
export const findMcpRoute = matcher(mcpPaths);

/** The names of all routes: the paths of the table, and those of requests that have none of them. */
export const routeNames: readonly string[] = [
  ...[...publicPaths, ...apiPaths, ...mcpPaths].map(({ path }) => path),
  '*',
  'unknown',
  'malformed',
];

const findPath = pathFinder<Path<unknown>>([...publicPaths, ...apiPaths, ...mcpPaths]);

/** The name of a request's route, which says nothing about the values in its path. Always one of `routeNames`. */
export function routeName(target: Target): string {
  const { path, location } = target;
  if (location instanceof Problem) return 'malformed';
  if (path === '*') return '*';
  return findPath(path, location)?.row.path ?? 'unknown';
}

interface FoundPath<Row> {
  readonly row: Row;
  /** Empty if the path has none. */
  readonly parameter: string;
}

/** The rows of the table whose paths have the same parent. */
interface Siblings<Row> {
  readonly byName: Map<string, Row>;
  /** The one whose last segment is a parameter. */
  any?: Row;
}

function pathFinder<Row extends { readonly path: string }>(
  rows: readonly Row[],
): (path: string, location: Location) => FoundPath<Row> | undefined {
  const byParent = new Map<string, Siblings<Row>>();
  for (const row of rows) {
    const slash = row.path.lastIndexOf('/');
    const [parent, name] = [row.path.slice(0, slash), row.path.slice(slash + 1)];
    const siblings: Siblings<Row> = byParent.get(parent) ?? { byName: new Map() };
    byParent.set(parent, siblings);
    if (name.startsWith('{')) siblings.any = row;
    else siblings.byName.set(name, row);
  }
  return (path, { parent, name }) => {
    // Neither the target `*` nor one without a path is `/`.
    const siblings = path.startsWith('/') ? byParent.get(parent) : undefined;
    const exact = siblings?.byName.get(name);
    if (exact !== undefined) return { row: exact, parameter: '' };
    return siblings?.any && { row: siblings.any, parameter: name };
  };
}

function matcher<Endpoint extends object>(
  paths: readonly Path<Endpoint>[],
): (method: string, target: Target) => Route<Endpoint> | OptionsRoute | Problem {
  const find = pathFinder(paths);
  return (method, { path, location }) => {
    if (location instanceof Problem) return location;
    const found = find(path, location);
    if (method === 'OPTIONS' && path === '*')
      return { kind: 'options', allow: allowed(['GET', 'POST', 'QUERY', 'PUT', 'PATCH', 'DELETE']) };
    if (found === undefined) return pathNotFound(path);
    const { row, parameter } = found;
    if (method === 'OPTIONS') return { kind: 'options', allow: allowed(Object.keys(row.methods)) };
    const endpoint = row.methods[method === 'HEAD' ? 'GET' : method];
    if (endpoint === undefined) return methodNotAllowed(method, path, row, paths);
    return { ...endpoint, parameter };
  };
}

function allowed(methods: readonly string[]): string {
  return [...methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])), 'OPTIONS'].join(', ');
}

/** Whoever wants to create a product finds out that they are imported. */
function methodNotAllowed<Endpoint>(
  method: string,
  path: string,
  { path: own, methods }: Path<Endpoint>,
  paths: readonly Path<Endpoint>[],
): Problem {
  const allow = allowed(Object.keys(methods));
  const below = paths.find((row) => row.path.startsWith(`${own}/`) && Object.hasOwn(row.methods, method));
  const elsewhere = below && `, or ${method} ${below.path} to ${below.purposes[method]}`;
  return new Problem('method_not_allowed', `${path} does not support ${method}.`, {
    suggestion: `Use ${allow}${elsewhere ?? ''}.`,
    headers: { allow },
  });
}

function pathNotFound(path: string): Problem {
  const lists = resources.map(apiPath);
  const words = path.toLowerCase().split('/');
  const named = resources.findIndex(({ name, plural }) => words.includes(name) || words.includes(plural));
  const meant = lists[named] ?? nearest(path, lists);
  return new Problem('path_not_found', `There is nothing at ${quoted(path)}.`, {
    suggestion: meant === undefined ? `The lists are at ${lists.join(', ')}.` : `Did you mean ${meant}?`,
  });
}
