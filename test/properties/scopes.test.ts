/** For any scopes, the requests and tools that a key permits are exactly those that one of its scopes is for. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { builtInCatalog } from '../../src/catalog/catalog.ts';
import { SCOPES, type Scope } from '../../src/catalog/scopes.ts';
import { toolsOf } from '../../src/mcp/tools.ts';
import { type ApiEndpoint, apiPaths } from '../../src/request/route.ts';
import { engines } from '../support/engines.ts';
import { callTool, rpcRequest } from '../support/mcp.ts';
import { rounds } from '../support/rounds.ts';
import { bearer, type TestRequest } from '../support/service.ts';
import { sharedService } from '../support/shared.ts';

interface Case {
  readonly request: TestRequest;
  readonly endpoint: ApiEndpoint;
}

const cases: readonly Case[] = apiPaths.flatMap(({ path, methods }) =>
  Object.entries(methods).flatMap(([method, endpoint]): Case[] => [
    { endpoint, request: requestOf(method, path) },
    ...(method === 'GET' ? [{ endpoint, request: requestOf('HEAD', path) }] : []),
  ]),
);

function requestOf(method: string, path: string): TestRequest {
  const request = { method, path: path.replace(/\{\w+\}/, method === 'DELETE' ? '4711' : '1') };
  // Nothing is created, and no code is exchanged: the body is not what either accepts.
  return method === 'POST' ? { ...request, headers: { 'content-type': 'application/json' }, body: '[]' } : request;
}

/** What the docs say. */
function isPermitted(scopes: readonly Scope[], endpoint: ApiEndpoint): boolean {
  const isCode = scopes.includes('sign-in');
  if (endpoint.kind === 'sign in') return isCode;
  // Only the console does that, and this is not the console.
  if (isSession(endpoint)) return false;
  // The other scopes of a code are what it is exchanged for.
  if (isCode) return false;
  if (['me', 'fields', 'views', 'view'].includes(endpoint.kind)) return scopes.length > 0;
  if (endpoint.kind === 'save view' || endpoint.kind === 'remove view') return scopes.includes('write');
  if (!('resource' in endpoint)) return scopes.some((scope) => scope === 'edit' || scope.endsWith(':edit'));
  const action = ACTIONS[endpoint.kind] ?? 'read';
  return scopes.includes(action) || scopes.includes(`${endpoint.resource.name}:${action}`);
}

function isSession({ kind }: ApiEndpoint): boolean {
  return kind === 'start session' || kind === 'end session';
}

const ACTIONS: Partial<Record<ApiEndpoint['kind'], 'write' | 'edit'>> = {
  create: 'write',
  update: 'edit',
  remove: 'edit',
  import: 'edit',
};

const scopeSets = fc.subarray<Scope>([...SCOPES, 'sign-in']);

describe.each(engines)('on $name', (engine) => {
  const service = sharedService(engine);

  test('requests', async () => {
    await fc.assert(
      fc.asyncProperty(scopeSets, async (scopes) => {
        const key = bearer(await service.issue(service.acme, { scopes }));
        const replies = cases.map(async ({ request, endpoint }) => ({
          request,
          endpoint,
          reply: await service.send({ ...request, headers: { ...request.headers, ...key } }),
        }));
        for (const { request, endpoint, reply } of await Promise.all(replies)) {
          const isRefused = reply.status === 403;
          expect({ scopes, request, status: reply.status, isRefused }).toMatchObject({
            isRefused: !isPermitted(scopes, endpoint),
          });
          expect(reply.status).not.toBe(401);
          if (!isRefused || isSession(endpoint)) continue;
          const [, named] = /error="insufficient_scope", scope="([^"]+)"$/.exec(
            String(reply.headers['www-authenticate']),
          ) ?? ['', ''];
          // With the scope that the challenge names, it is permitted.
          expect([...SCOPES, 'sign-in'].filter((scope) => scope === named)).toSatisfy((found: readonly Scope[]) =>
            isPermitted(found, endpoint),
          );
        }
      }),
      { numRuns: rounds(5, 100) },
    );
  });

  test('tools', async () => {
    await fc.assert(
      fc.asyncProperty(scopeSets, async (scopes) => {
        const key = await service.issue(service.acme, { scopes });
        const headers = { ...rpcRequest('tools/list').headers, ...bearer(key) };
        const listed = await service.send({ ...rpcRequest('tools/list'), headers });
        if (!isPermitted(scopes, { kind: 'me' })) {
          expect(listed).toRespond(403);
          return;
        }
        const readable = builtInCatalog.resources.filter((resource) => isPermitted(scopes, { kind: 'list', resource }));
        const creatable = builtInCatalog.resources.filter(
          (resource) => resource.creatable.length > 0 && isPermitted(scopes, { kind: 'create', resource }),
        );
        const expected = [
          ...(readable.length > 0 ? ['describe', 'query', 'get', 'aggregate', 'changes'] : []),
          ...creatable.map(({ name }) => `create_${name}`),
        ];
        const found: readonly ListedTool[] = Object(listed.json).result.tools;
        expect(found.map(({ name }) => name)).toEqual(expected);
        for (const { inputSchema } of found)
          expect(inputSchema.properties.resource?.enum ?? readable.map(({ name }) => name)).toEqual(
            readable.map(({ name }) => name),
          );
        for (const tool of toolsOf(builtInCatalog)) {
          for (const resource of tool.resources) {
            const isAllowed = (tool.action === 'read' ? readable : creatable).some(
              ({ name }) => name === resource.name,
            );
            // An empty name is an error, so that nothing is created.
            const given =
              tool.action === 'read'
                ? { resource: resource.name, ...(tool.name === 'get' && { id: 1 }) }
                : { name: '' };
            const { lines } = await callTool({ port: service.port, key }, tool.name, given);
            expect({ scopes, tool: tool.name, given, isRefused: /^scope_missing/.test(lines[0] ?? '') }).toMatchObject({
              isRefused: !isAllowed,
            });
          }
        }
        if (readable.length === 0) return;
        const described = await callTool({ port: service.port, key }, 'describe');
        expect(described.structured['resources']).toMatchObject(readable.map(({ name }) => ({ name })));
      }),
      { numRuns: rounds(5, 100) },
    );
  });

  test('words that this version does not know permit nothing', async () => {
    const key = await service.issue(service.acme, { scopes: ['product:read'] });
    await service.database.execute(
      "UPDATE api_key SET scopes = 'product:shred,warehouse:read,product,:read,READ' WHERE scopes = 'product:read'",
    );
    for (const { request } of cases) {
      const reply = await service.send({ ...request, headers: { ...request.headers, ...bearer(key) } });
      expect({ request, status: reply.status }).toEqual({ request, status: 403 });
    }
    const { json } = await service.send({ path: '/api/v1/inventory/product', headers: bearer(key) });
    expect(json).toMatchObject({
      detail:
        'This request requires the scope product:read or read; the key has no scope that this version of Stockbook knows.',
    });
  });
});

interface ListedTool {
  readonly name: string;
  readonly inputSchema: { readonly properties: { readonly resource?: { readonly enum: readonly string[] } } };
}
