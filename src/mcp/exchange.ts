/** A message and the response to it. The message is read once, even if its request is handled again under another session. */

import { randomUUID } from 'node:crypto';
import { builtInCatalog, type Catalog } from '../catalog/catalog.ts';
import { Problem } from '../problem/problem.ts';
import { type ProblemCode, registry } from '../problem/registry.ts';
import { problemReply } from '../reply/problem.ts';
import type { Reply } from '../reply/reply.ts';
import { readJsonBody } from '../request/body.ts';
import type { Turn } from '../request/long-input.ts';
import type { Request } from '../request/request.ts';
import { type Message, RpcError, readMessage } from './protocol.ts';
import { readToolCall, type ToolCall } from './tool-call.ts';
import { toolErrorReply } from './tool-reply.ts';

/** The largest body, in bytes, that is read only to tell a model why its call was refused. */
export const MAX_REFUSED_BODY = 16 * 1024;

/** A problem if the body cannot be read. */
export type Received = ToolCall | Message | RpcError | Problem;

export class McpExchange {
  readonly #request: Request;
  #message: Promise<Message | RpcError | Problem> | undefined;
  /** What was received, as the last session understood it. */
  #received: Received | undefined;
  /** Makes a call that creates something repeatable, however often it is handled. */
  readonly #newKey = randomUUID();

  constructor(request: Request) {
    this.#request = request;
  }

  async received(catalog: Catalog, turn: Turn = noTurn): Promise<Received> {
    this.#message ??= receive(this.#request, turn);
    const message = await this.#message;
    const isCall = !(message instanceof Problem) && message.kind === 'request' && message.method === 'tools/call';
    this.#received = isCall ? readToolCall(message, catalog, this.#newKey) : message;
    return this.#received;
  }

  /** What is wrong with a tool call is for the model. The rest is for its client, as an HTTP error. */
  async problemReply(problem: Problem): Promise<Reply> {
    // If reading the message failed, that is the problem.
    const received = this.#isForModel(problem)
      ? (this.#received ?? (await this.received(builtInCatalog).catch(() => undefined)))
      : undefined;
    if (received === undefined || received instanceof Problem || received.kind !== 'tool call')
      return problemReply(problem, this.#request);
    return toolErrorReply(received, problem);
  }

  #isForModel({ code }: Problem): boolean {
    if (UNAUTHENTICATED.has(code)) return false;
    if (this.#message !== undefined) return true;
    // Refused before it was read, for now.
    const { status } = registry[code];
    const isSmall = Number(this.#request.headers['content-length']) <= MAX_REFUSED_BODY;
    return isSmall && (status === 429 || status >= 500);
  }
}

const UNAUTHENTICATED: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'authentication_required',
  'credentials_malformed',
  'key_not_accepted',
  'too_many_failed_attempts',
]);

/** A small message needs none. */
const noTurn: Turn = async () => {};

async function receive(request: Request, turn: Turn): Promise<Message | RpcError | Problem> {
  const body = await readJsonBody(request, turn);
  if (body instanceof Problem)
    return body.code === 'malformed_json' || body.code === 'repeated_member'
      ? new RpcError('parse error', body.detail)
      : body;
  return readMessage(body.json, request.headers);
}
