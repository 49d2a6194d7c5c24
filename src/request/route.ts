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
export interface ApiEndpoint {
  readonly kind: 'list' | 'record' | 'create' | 'changes' | 'digest' | 'aggregate';
  readonly resource: Resource;
}

/** For AI agents, whose calls are requests of the API. */
export interface McpEndpoint {
  readonly kind: 'mcp';
}

/** Needs no key, since it shows nothing of any account. */
export interface PublicEndpoint {
  readonly kind: 'problem page' | 'live' | 'ready';
}

/** An endpoint with the value of its path parameter; empty if it has none. */
export type Route<Endpoint> = Endpoint & { readonly parameter: string };

interface Path<Endpoint> {
  /** The last segment may be a parameter: `{id}`. */
  readonly path: string;
  readonly methods: Readonly<Record<string, Endpoint>>;
}

export const publicPaths: readonly Path<PublicEndpoint>[] = [
  { path: `${PROBLEMS_PATH}/{code}`, methods: { GET: { kind: 'problem page' } } },
  { path: '/health/live', methods: { GET: { kind: 'live' } } },
  { path: '/health/ready', methods: { GET: { kind: 'ready' } } },
];

export const apiPaths: readonly Path<ApiEndpoint>[] = catalog.flatMap((resource): Path<ApiEndpoint>[] => [
  {
    path: apiPath(resource),
    methods: {
      GET: { kind: 'list', resource },
      ...(resource.creatable.length > 0 && { POST: { kind: 'create', resource } }),
    },
  },
  { path: `${apiPath(resource)}/changes`, methods: { GET: { kind: 'changes', resource } } },
  { path: `${apiPath(resource)}/digest`, methods: { GET: { kind: 'digest', resource } } },
  { path: `${apiPath(resource)}/aggregate`, methods: { GET: { kind: 'aggregate', resource } } },
  { path: `${apiPath(resource)}/{id}`, methods: { GET: { kind: 'record', resource } } },
]);

export const mcpPaths: readonly Path<McpEndpoint>[] = [{ path: '/mcp', methods: { POST: { kind: 'mcp' } } }];

export const findPublicRoute = matcher(publicPaths);
export const findApiRoute = matcher(apiPaths);
export const findMcpRoute = matcher(mcpPaths);

function matcher<Endpoint extends object>(
  paths: readonly Path<Endpoint>[],
): (method: string, target: Target) => Route<Endpoint> | Problem {
  const byPath = new Map(paths.map((row) => [row.path.replace(/\{\w+\}$/, '{}'), row]));
  return (method, { path, segments }) => {
    if (segments instanceof Problem) return segments;
    const exact = byPath.get(`/${segments.join('/')}`);
    const row = exact ?? byPath.get(`/${segments.slice(0, -1).join('/')}/{}`);
    if (row === undefined) return pathNotFound(path);
    const endpoint = row.methods[method === 'HEAD' ? 'GET' : method];
    if (endpoint === undefined) return methodNotAllowed(method, path, Object.keys(row.methods));
    return { ...endpoint, parameter: exact === undefined ? (segments.at(-1) ?? '') : '' };
  };
}

function methodNotAllowed(method: string, path: string, methods: readonly string[]): Problem {
  const allowed = methods.flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])).join(', ');
  return new Problem('method_not_allowed', `${path} does not support ${method}.`, {
    suggestion: `Use ${allowed}.`,
    headers: { allow: allowed },
  });
}

export function pathNotFound(path: string): Problem {
  const lists = catalog.map(apiPath);
  const words = path.toLowerCase().split('/');
  const named = catalog.findIndex(({ name, plural }) => words.includes(name) || words.includes(plural));
  const meant = lists[named] ?? nearest(path, lists);
  return new Problem('path_not_found', `There is nothing at ${quoted(path)}.`, {
    suggestion: meant === undefined ? `The lists are at ${lists.join(', ')}.` : `Did you mean ${meant}?`,
  });
}
