/** A message of an AI agent. A tool call becomes a request of the API. */

import { requireScope } from '../access/authenticate.ts';
import type { ResourceOutline } from '../catalog/resource.ts';
import { permits, permittingScopes, SCOPES } from '../catalog/scopes.ts';
import type { McpExchange } from '../mcp/exchange.ts';
import { callMethod } from '../mcp/methods.ts';
import { RpcError } from '../mcp/protocol.ts';
import { checkResultSize } from '../mcp/result-size.ts';
import { acceptedReply, errorReply } from '../mcp/rpc-reply.ts';
import type { Arguments, Tool } from '../mcp/tool.ts';
import { forwarded, type ToolCall } from '../mcp/tool-call.ts';
import { toolReply } from '../mcp/tool-reply.ts';
import { Problem } from '../problem/problem.ts';
import type { Reply } from '../reply/reply.ts';
import { checkAcceptsJson } from '../request/accept.ts';
import { checkOrigin } from '../request/origin.ts';
import { findMcpRoute } from '../request/route.ts';
import { checkRequestLine } from '../request/target.ts';
import type { Pieces } from '../store/pieces.ts';
import { api, options } from './api.ts';
import { type Call, hasAccess, type Outcome } from './handler.ts';

export async function mcp(call: Call, exchange: McpExchange): Promise<Outcome> {
  const route = findMcpRoute(call.request.method, call.request.target);
  if (route instanceof Problem) return route;
  if (route.kind === 'options') return options(call, route);
  const { headers } = call.request;
  const problem =
    requireScope(call.session, SCOPES) ??
    checkRequestLine(call.request) ??
    checkOrigin(headers, (origin) => call.service.crossOrigin.allows(origin)) ??
    checkAcceptsJson(headers.accept);
  if (problem !== undefined) return problem;
  const received = await exchange.received(call.session.catalog, call.turn);
  if (received instanceof Problem) return received;
  if (received.kind === 'tool call') return callTool(call, received);
  if (!(await hasAccess(call))) return 'no access';
  switch (received.kind) {
    case 'request': {
      const result = callMethod(received, call.session);
      return result instanceof RpcError ? errorReply(result) : result;
    }
    case 'notification':
      return acceptedReply();
    case 'error':
      return errorReply(received);
  }
}

async function callTool(call: Call, { request, tool, given }: ToolCall): Promise<Outcome> {
  const { session } = call;
  const resources = given instanceof Problem ? tool.resources : askedResources(tool, given);
  const permitting = new Set(resources.flatMap((resource) => permittingScopes(tool.action, resource)));
  const problem = requireScope(session, [...permitting]);
  if (problem !== undefined) return problem;
  if (given instanceof Problem) return given;
  if (tool.kind === 'local') {
    const permitted = resources.filter((resource) => permits(session.scopes, tool.action, resource));
    return (await hasAccess(call))
      ? toolReply(request, tool.toResult(permitted.map((resource) => session.catalog.of(resource))))
      : 'no access';
  }
  const asked = tool.toRequest(given);
  if (asked instanceof Problem) return asked;
  const outcome = await api({ ...call, request: forwarded(call.request, asked) });
  if (outcome === 'no access' || outcome instanceof Problem) return outcome;
  const body = bodyOf(outcome);
  const tooLarge = checkResultSize(tool, given, body);
  if (tooLarge !== undefined) return tooLarge;
  const text = typeof body === 'string' ? body : Buffer.concat(body).toString();
  const { headers, rows } = outcome;
  return { ...toolReply(request, tool.toResult({ headers, body: text }, given)), rows };
}

/** The resource that the arguments name, or else all that the tool can be for. */
function askedResources({ resources }: Tool, { text: { resource: asked } }: Arguments): readonly ResourceOutline[] {
  return asked === undefined ? resources : resources.filter(({ name }) => name === asked);
}

function bodyOf({ body = '' }: Reply): string | Pieces {
  if (typeof body === 'object' && 'next' in body) throw new Error('a tool cannot return a stream');
  return body;
}
