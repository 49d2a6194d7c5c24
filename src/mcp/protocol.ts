/**
 * The messages of the Model Context Protocol over HTTP: JSON-RPC, one message per request.
 *
 * The current version has no sessions and no handshake: every request names its version in `params._meta`, and repeats that,
 * its method and its tool in headers. Clients of earlier versions send `initialize` first, and none of this.
 */

import { quoted } from '../problem/quoted.ts';
import type { RequestHeaders } from '../request/request.ts';
import { isObject, type JsonObject } from './json.ts';

export const CURRENT_VERSION = '2026-07-28';

/** The versions that begin with `initialize`, newest first. */
export const EARLIER_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26'];

export const SUPPORTED_VERSIONS: readonly string[] = [CURRENT_VERSION, ...EARLIER_VERSIONS];

const META = 'io.modelcontextprotocol';

/** The longest id of a request, in characters: responses repeat it. */
export const MAX_ID_LENGTH = 1_000;

export type Message = RpcRequest | { readonly kind: 'notification' };

export interface RpcRequest {
  readonly kind: 'request';
  readonly id: RpcId;
  readonly method: string;
  readonly params: JsonObject;
  /** False if the client speaks an earlier version. */
  readonly isCurrent: boolean;
}

type RpcId = string | number;

/** What can be wrong with a message, with its code and the status of the HTTP response. */
export const RPC_ERRORS = {
  'parse error': { code: -32700, status: 400 },
  'invalid request': { code: -32600, status: 400 },
  'method not found': { code: -32601, status: 404 },
  /** Clients of earlier versions take a 404 for the end of a session. */
  'method not found in an earlier version': { code: -32601, status: 200 },
  'invalid params': { code: -32602, status: 200 },
  /** Parameters that every request must have. */
  'invalid envelope': { code: -32602, status: 400 },
  'header mismatch': { code: -32020, status: 400 },
  'unsupported version': { code: -32022, status: 400 },
} as const;

/** What is wrong with a message. What is wrong with the arguments of a tool is a `Problem` instead. */
export class RpcError {
  readonly kind = 'error';
  readonly #kind: keyof typeof RPC_ERRORS;
  readonly message: string;
  readonly id: RpcId | undefined;
  readonly data: JsonObject | undefined;

  constructor(kind: keyof typeof RPC_ERRORS, message: string, id?: RpcId, data?: JsonObject) {
    this.#kind = kind;
    this.message = message;
    this.id = id;
    this.data = data;
  }

  get code(): number {
    return RPC_ERRORS[this.#kind].code;
  }

  /** Of the HTTP response. */
  get status(): number {
    return RPC_ERRORS[this.#kind].status;
  }
}

export function readMessage(json: unknown, headers: RequestHeaders): Message | RpcError {
  if (Array.isArray(json))
    return new RpcError('invalid request', 'Batches are not supported: send every message in a request of its own.');
  if (!isObject(json)) return new RpcError('invalid request', 'The body is not a JSON-RPC message.');
  const { jsonrpc, id, method, params = {} } = json;
  if (jsonrpc !== '2.0') return new RpcError('invalid request', 'jsonrpc must be "2.0".');
  if (typeof method !== 'string')
    return new RpcError('invalid request', 'method must be a string. Responses are not accepted.');
  if (id !== undefined && !isId(id))
    return new RpcError(
      'invalid request',
      `id must be a whole number, or a string of up to ${MAX_ID_LENGTH} characters.`,
    );
  if (!isObject(params)) return new RpcError('invalid request', 'params must be an object.', id);
  if (id === undefined) return { kind: 'notification' };
  const isCurrent = checkVersion({ id, method, params }, headers);
  return isCurrent instanceof RpcError ? isCurrent : { kind: 'request', id, method, params, isCurrent };
}

function isId(id: unknown): id is RpcId {
  return typeof id === 'string' ? id.length <= MAX_ID_LENGTH : Number.isSafeInteger(id);
}

type Unchecked = Pick<RpcRequest, 'id' | 'method' | 'params'>;

/** Whether the request is of the current version, with everything that requires. */
function checkVersion(request: Unchecked, headers: RequestHeaders): boolean | RpcError {
  const { id, params } = request;
  const header = headers['mcp-protocol-version'];
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  const claimed = meta[`${META}/protocolVersion`];
  if (claimed === undefined && header !== CURRENT_VERSION)
    return header === undefined || EARLIER_VERSIONS.includes(header) ? false : unsupportedVersion(header, id);
  if (typeof claimed !== 'string' || !isObject(meta[`${META}/clientCapabilities`]))
    return new RpcError(
      'invalid envelope',
      `params._meta must have ${META}/protocolVersion, a string, and ${META}/clientCapabilities, an object.`,
      id,
    );
  if (header !== claimed) return headerMismatch('MCP-Protocol-Version', header, claimed, id);
  if (claimed !== CURRENT_VERSION) return EARLIER_VERSIONS.includes(claimed) ? false : unsupportedVersion(claimed, id);
  return checkHeaders(request, headers) ?? true;
}

/** Proxies may decide by these headers, so they must not contradict the body. */
function checkHeaders({ id, method, params }: Unchecked, headers: RequestHeaders): RpcError | undefined {
  const named = headers['mcp-method'];
  if (named !== method) return headerMismatch('Mcp-Method', named, method, id);
  const { name } = params;
  if (method !== 'tools/call' || typeof name !== 'string') return undefined;
  const tool = decodeHeader(headers['mcp-name']);
  return tool === name ? undefined : headerMismatch('Mcp-Name', tool, name, id);
}

/** Text that a header cannot hold is sent as `=?base64?…?=`. Undefined if that is malformed. */
function decodeHeader(value: string | undefined): string | undefined {
  const [, base64] = /^=\?base64\?(.*)\?=$/.exec(value ?? '') ?? [];
  if (base64 === undefined) return value;
  return /^[A-Za-z0-9+/]*={0,2}$/.test(base64) ? Buffer.from(base64, 'base64').toString('utf8') : undefined;
}

function headerMismatch(header: string, sent: string | undefined, body: string, id: RpcId): RpcError {
  const problem = sent === undefined ? 'is missing or malformed' : `is ${quoted(sent)}`;
  return new RpcError('header mismatch', `The header ${header} ${problem}, but the body says ${quoted(body)}.`, id);
}

function unsupportedVersion(requested: string, id: RpcId): RpcError {
  return new RpcError('unsupported version', 'Unsupported protocol version', id, {
    supported: SUPPORTED_VERSIONS,
    requested,
  });
}
