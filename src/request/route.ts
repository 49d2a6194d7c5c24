/**
 * Path and method to what is requested.
 *
 *     GET /api/v1/resources/partner/7    { kind: 'record', resource: partner, parameter: '7' }
 *
 * Every path is a row of one table; docs and tests read it.
 */

import { catalog } from '../catalog/catalog.ts';
import { apiPath, type Resource } from '../catalog/resource.ts';
import { nearest } from '../problem/nearest.ts';
import { PROBLEMS_PATH } from '../problem/page.ts';
import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import type { Target } from './target.ts';

/** What is requested of a resource. */
export interface ResourceEndpoint {
  readonly kind: 'list' | 'record' | 'create' | 'changes' | 'digest' | 'aggregate';
  readonly resource: Resource;
}

/** About the key that a request has. */
export interface KeyEndpoint {
  readonly kind: 'me' | 'sign in';
}

export type ApiEndpoint = ResourceEndpoint | KeyEndpoint;

/** For AI agents, whose calls are requests of the API. */
export interface McpEndpoint {
  readonly kind: 'mcp';
}

/** Needs no key, since it shows nothing of any account. */
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
}

/** RFC 10008: `QUERY` is `GET` with its parameters in the body. */
const readable = (endpoint: ResourceEndpoint): Path<ResourceEndpoint>['methods'] => ({
  GET: endpoint,
  QUERY: endpoint,
});

export const publicPaths: readonly Path<PublicEndpoint>[] = [
  { path: '/openapi.json', methods: { GET: { kind: 'openapi' } } },
  { path: '/docs', methods: { GET: { kind: 'reference' } } },
  { path: '/docs/assets/scalar.js', methods: { GET: { kind: 'scalar' } } },
  { path: '/docs/assets/{name}', methods: { GET: { kind: 'asset' } } },
  { path: '/docs/guides', methods: { GET: { kind: 'guide' } } },
  { path: '/docs/guides/{name}', methods: { GET: { kind: 'guide' } } },
  { path: PROBLEMS_PATH, methods: { GET: { kind: 'problem list' } } },
  { path: `${PROBLEMS_PATH}/{code}`, methods: { GET: { kind: 'problem page' } } },
  // One page; what it shows of the account is in the path and the query.
  { path: '/', methods: { GET: { kind: 'console' } } },
  ...catalog.map(({ plural }): Path<PublicEndpoint> => ({ path: `/${plural}`, methods: { GET: { kind: 'console' } } })),
  { path: '/console/assets/{name}', methods: { GET: { kind: 'console asset' } } },
];

const resourcePaths: readonly Path<ResourceEndpoint>[] = catalog.flatMap((resource): Path<ResourceEndpoint>[] => [
  {
    path: apiPath(resource),
    methods: {
      ...readable({ kind: 'list', resource }),
      ...(resource.creatable.length > 0 && { POST: { kind: 'create', resource } }),
    },
  },
  { path: `${apiPath(resource)}/changes`, methods: readable({ kind: 'changes', resource }) },
  { path: `${apiPath(resource)}/digest`, methods: readable({ kind: 'digest', resource }) },
  { path: `${apiPath(resource)}/aggregate`, methods: readable({ kind: 'aggregate', resource }) },
  { path: `${apiPath(resource)}/{id}`, methods: { GET: { kind: 'record', resource } } },
]);

export const apiPaths: readonly Path<ApiEndpoint>[] = [
  ...resourcePaths,
  { path: '/api/v1/me', methods: { GET: { kind: 'me' } } },
  { path: '/api/v1/sign-in', methods: { POST: { kind: 'sign in' } } },
];

export const mcpPaths: readonly Path<McpEndpoint>[] = [{ path: '/mcp', methods: { POST: { kind: 'mcp' } } }];

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
  if (target.segments instanceof Problem) return 'malformed';
  if (target.path === '*') return '*';
  return findPath(target.path, target.segments)?.row.path ?? 'unknown';
}

interface FoundPath<Row> {
  readonly row: Row;
  /** Empty if the path has none. */
  readonly parameter: string;
}

function pathFinder<Row extends { readonly path: string }>(
  rows: readonly Row[],
): (path: string, segments: readonly string[]) => FoundPath<Row> | undefined {
  const byPath = new Map(rows.map((row) => [row.path.replace(/\{\w+\}$/, '{}'), row]));
  return (path, segments) => {
    // Neither the target `*` nor one without a path is `/`.
    const exact = path.startsWith('/') ? byPath.get(`/${segments.join('/')}`) : undefined;
    if (exact !== undefined) return { row: exact, parameter: '' };
    const row = byPath.get(`/${segments.slice(0, -1).join('/')}/{}`);
    return row && { row, parameter: segments.at(-1) ?? '' };
  };
}

function matcher<Endpoint extends object>(
  paths: readonly Path<Endpoint>[],
): (method: string, target: Target) => Route<Endpoint> | OptionsRoute | Problem {
  const find = pathFinder(paths);
  return (method, { path, segments }) => {
    if (segments instanceof Problem) return segments;
    const found = find(path, segments);
    if (method === 'OPTIONS' && path === '*') return { kind: 'options', allow: allowed(['GET', 'POST', 'QUERY']) };
    if (found === undefined) return pathNotFound(path);
    const { row, parameter } = found;
    if (method === 'OPTIONS') return { kind: 'options', allow: allowed(Object.keys(row.methods)) };
    const endpoint = row.methods[method === 'HEAD' ? 'GET' : method];
    if (endpoint === undefined) return methodNotAllowed(method, path, Object.keys(row.methods));
    return { ...endpoint, parameter };
  };
}

function allowed(methods: readonly string[]): string {
  return [...methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])), 'OPTIONS'].join(', ');
}

function methodNotAllowed(method: string, path: string, methods: readonly string[]): Problem {
  const allow = allowed(methods);
  return new Problem('method_not_allowed', `${path} does not support ${method}.`, {
    suggestion: `Use ${allow}.`,
    headers: { allow },
  });
}

function pathNotFound(path: string): Problem {
  const lists = catalog.map(apiPath);
  const words = path.toLowerCase().split('/');
  const named = catalog.findIndex(({ name, plural }) => words.includes(name) || words.includes(plural));
  const meant = lists[named] ?? nearest(path, lists);
  return new Problem('path_not_found', `There is nothing at ${quoted(path)}.`, {
    suggestion: meant === undefined ? `The lists are at ${lists.join(', ')}.` : `Did you mean ${meant}?`,
  });
}
