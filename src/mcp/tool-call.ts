/** A call of a tool: what was asked for, and the request to the API that does it. */

import { type Catalog, resources } from '../catalog/catalog.ts';
import { apiPath } from '../catalog/resource.ts';
import type { Problem } from '../problem/problem.ts';
import { QUERY_TYPE } from '../request/body.ts';
import type { Request } from '../request/request.ts';
import { readTarget, splitTarget } from '../request/target.ts';
import { readArguments } from './arguments.ts';
import { RpcError, type RpcRequest } from './protocol.ts';
import type { ApiRequest, Arguments, Tool } from './tool.ts';
import { toolsOf } from './tools.ts';

export interface ToolCall {
  readonly kind: 'tool call';
  readonly request: RpcRequest;
  readonly tool: Tool;
  readonly given: Arguments | Problem;
}

/** An unknown tool is an error of the protocol; wrong arguments are something that the model can correct. */
/** `newKey` is the idempotency key of a call that has none. */
export function readToolCall(request: RpcRequest, catalog: Catalog, newKey: string): ToolCall | RpcError {
  const tools = toolsOf(catalog);
  const tool = tools.find(({ name }) => name === request.params['name']);
  if (tool === undefined) {
    const names = tools.map(({ name }) => name).join(', ');
    return new RpcError('invalid params', `Unknown tool. The tools are ${names}.`, request.id);
  }
  return { kind: 'tool call', request, tool, given: readArguments(tool, request.params['arguments'], catalog, newKey) };
}

/** The request to the API, with the credentials and the deadline of the one that brought the call. */
export function forwarded(request: Request, asked: ApiRequest): Request {
  const { host, authorization } = request.headers;
  const { method, target, headers, body = '' } = asked.method === 'GET' ? withQueryInBody(asked) : asked;
  const bytes = Buffer.from(body);
  return {
    ...request,
    method,
    target: readTarget(target),
    headers: { host, authorization, ...headers },
    rawHeaders: [],
    body: async () => bytes,
  };
}

/** What fits into a message may be too long for a request line. Single records do not support `QUERY`. */
function withQueryInBody(asked: ApiRequest): ApiRequest {
  const { path, query } = splitTarget(asked.target);
  const isList = resources.some((resource) =>
    [apiPath(resource), `${apiPath(resource)}/changes`, `${apiPath(resource)}/aggregate`].includes(path),
  );
  if (query.length <= MAX_TARGET_QUERY || !isList) return asked;
  return { method: 'QUERY', target: path, headers: { ...asked.headers, 'content-type': QUERY_TYPE }, body: query };
}

/** In characters. */
const MAX_TARGET_QUERY = 8_000;
