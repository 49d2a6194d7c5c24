/** Results and errors of JSON-RPC as responses. */

import { jsonReply, type Reply } from '../reply/reply.ts';
import { version } from '../version.ts';
import type { JsonObject } from './json.ts';
import type { RpcError, RpcRequest } from './protocol.ts';

export const SERVER_INFO = { name: 'stockbook', title: 'Stockbook', version: version() };

const HEADERS = { 'cache-control': 'no-store' };

export function resultReply({ id, isCurrent }: Pick<RpcRequest, 'id' | 'isCurrent'>, result: JsonObject): Reply {
  const common = { resultType: 'complete', _meta: { 'io.modelcontextprotocol/serverInfo': SERVER_INFO } };
  return jsonReply(
    200,
    HEADERS,
    JSON.stringify({ jsonrpc: '2.0', id, result: { ...(isCurrent && common), ...result } }),
  );
}

export function errorReply({ code, status, message, id, data }: RpcError): Reply {
  return jsonReply(status, HEADERS, JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } }));
}

/** The response to a notification. */
export function acceptedReply(): Reply {
  return { status: 202, headers: HEADERS, body: '' };
}
