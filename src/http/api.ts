/** The routes of the API, made from the catalog. Nothing under `/api` is answered before the caller is known. */

import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, RequestPayload } from 'fastify';
import { type Credentials, requireScope } from '../access/grant.ts';
import type { Admission, Recalled } from '../access/grants.ts';
import type { App, Call, Question } from '../app.ts';
import { catalog } from '../catalog/catalog.ts';
import { apiPath, type Resource } from '../catalog/resource.ts';
import { Problem } from '../problem/problem.ts';
import type { Reply } from '../reply/reply.ts';
import { emptyBody, MAX_BODY_BYTES, readJson } from '../request/body.ts';
import { checkRequestLine, splitTarget } from '../request/target.ts';
import { Stopwatch } from '../stopwatch.ts';
import type { Scope } from '../store/store.ts';
import { isBusy } from '../store/store-error.ts';
import { methodNotAllowed, othersThan } from './methods.ts';
import { answerNotFound, noSuchPath, send } from './send.ts';

const API_PREFIX = '/api';

/** Whatever can be decoded of a path decides, as it does for the router. */
export function isApiPath(target: string): boolean {
  const path = target.replaceAll(/%([0-7][0-9a-f])/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return /^\/api(?:[/?]|$)/.test(path);
}

/** What a route takes, or, on a route for the methods that its path does not take, those that it does. */
type Access =
  | {
      readonly scope: Scope;
      /** Whether it can be answered by one statement, which finds out whether the caller is still let in. */
      readonly atOnce: boolean;
    }
  | { readonly allow: readonly string[] };

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
  }
  interface FastifyRequest {
    /** What the request may do, once it was let in. */
    grant: Admission | undefined;
    /** What it might do when it came before, where it is to be answered at once. */
    recalled: Recalled | undefined;
    /** Where the time goes that the answer tells of. */
    stopwatch: Stopwatch | undefined;
  }
}

export function addApi(service: FastifyInstance, app: App): void {
  service.decorateRequest('grant', undefined);
  service.decorateRequest('recalled', undefined);
  service.decorateRequest('stopwatch', undefined);
  service.register(
    async (api) => {
      api.addContentTypeParser(
        'application/json',
        { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
        async ({ headers }: FastifyRequest, body: Buffer) => readJson(body, headers),
      );
      api.addHook('onRequest', async (request, reply) => {
        request.stopwatch = new Stopwatch();
        request.recalled = recalledFor(app, request);
        if (request.recalled !== undefined) return;
        const refusal = await refusalOf(app, request);
        if (refusal !== undefined) send(reply, refusal);
      });
      api.setNotFoundHandler(answerNotFound);
      for (const resource of catalog) addRoutes(api, app, resource);
    },
    { prefix: API_PREFIX },
  );
}

function addRoutes(api: FastifyInstance, app: App, resource: Resource): void {
  const collection = apiPath(resource).slice(API_PREFIX.length);
  const record = `${collection}/:id`;
  const read = { config: { access: { scope: 'read', atOnce: false } } } as const;
  const readAtOnce = { config: { access: { scope: 'read', atOnce: true } } } as const;
  const writeAtOnce = { config: { access: { scope: 'write', atOnce: true } } } as const;
  const isCreatable = resource.creatable.length > 0;

  const route =
    <Request extends FastifyRequest>(
      answer: (call: Call, request: Request) => Promise<Reply | Problem>,
      atOnce?: (grant: Recalled, question: Question, request: Request) => Promise<Reply | undefined>,
    ) =>
    async (request: Request, reply: FastifyReply) => {
      const { recalled } = request;
      if (recalled !== undefined) {
        let done: Reply | Problem | undefined;
        try {
          done = await atOnce?.(recalled, questionOf(request, resource), request);
        } catch (error) {
          // Where only writes have to wait, whoever is not let in any more is told that first.
          if (!isBusy(error)) throw error;
          done = await refusalOf(app, request).catch(() => undefined);
          if (done === undefined) throw error;
        }
        done ??= await refusalOf(app, request);
        if (done !== undefined) return send(reply, done);
      }
      send(reply, await answer(callOf(request, resource), request));
    };

  api.get(
    collection,
    read,
    route((call) => app.list(call)),
  );
  api.get<{ Params: { id: string } }>(
    record,
    readAtOnce,
    route<FastifyRequest<{ Params: { id: string } }>>(
      (call, { params }) => app.record(call, params.id),
      (grant, question, { params }) => app.recordAtOnce(grant, question, params.id),
    ),
  );
  if (isCreatable) {
    api.post(
      collection,
      { ...writeAtOnce, preParsing: readableBody },
      route(
        (call, { body }) => app.create(call, body === undefined ? emptyBody() : body),
        (grant, question, { body }) => app.createAtOnce(grant, question, body === undefined ? emptyBody() : body),
      ),
    );
  }
  refuseOthers(api, collection, isCreatable ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD']);
  refuseOthers(api, record, ['GET', 'HEAD']);
}

/** The framework waits for the end of a body, which does not come where there is none. */
async function readableBody(
  _request: FastifyRequest,
  _reply: FastifyReply,
  payload: RequestPayload,
): Promise<RequestPayload> {
  return 'readableEnded' in payload && payload.readableEnded === true ? Readable.from([]) : payload;
}

function refuseOthers(api: FastifyInstance, url: string, allow: readonly string[]): void {
  api.route({ method: othersThan(allow), url, config: { access: { allow } }, handler: answerNotFound });
}

/** Where nothing but the work itself can go wrong any more: whatever is refused is refused the usual way, in the order of the contract. */
function recalledFor(app: App, request: FastifyRequest): Recalled | undefined {
  const { access } = request.routeOptions.config;
  if (access === undefined || !('scope' in access) || !access.atOnce) return undefined;
  const recalled = app.recall(credentialsOf(request), access.scope);
  if (recalled === undefined || !isPlain(request) || app.permit(recalled, access.scope) !== undefined) return undefined;
  request.stopwatch?.lap('access');
  return recalled;
}

/** Neither the framework nor we have anything against its head. */
function isPlain({ method, url, headers, raw }: FastifyRequest): boolean {
  if (countHosts(raw.rawHeaders) > 1 || checkRequestLine(method, url, raw.httpVersion) !== undefined) return false;
  if (method !== 'POST') return true;
  return PLAIN_JSON.test(headers['content-type'] ?? '') && Number(headers['content-length']) <= MAX_BODY_BYTES;
}

const PLAIN_JSON = /^application\/json(?:; ?charset=utf-8)?$/i;

function credentialsOf({ headers }: FastifyRequest): Credentials {
  return { host: headers.host, authorization: headers.authorization };
}

/** In the order of the contract: who asks, whether there is such a path and method, and whether they may. */
async function refusalOf(app: App, request: FastifyRequest): Promise<Problem | undefined> {
  try {
    const grant = await admit(app, request);
    if (grant instanceof Problem) return grant;
    request.grant = grant;
    const { access } = request.routeOptions.config;
    if (access === undefined) return noSuchPath(request);
    if ('allow' in access) return methodNotAllowed(request, access.allow);
    // It is counted already.
    if (request.recalled !== undefined) return requireScope(grant, access.scope);
    return app.permit(grant, access.scope) ?? checkRequestLine(request.method, request.url, request.raw.httpVersion);
  } finally {
    request.stopwatch?.lap('access');
  }
}

export function admit(app: App, request: FastifyRequest): Promise<Admission | Problem> | Problem {
  if (countHosts(request.raw.rawHeaders) > 1)
    return new Problem('malformed_request', 'The request has several Host headers.');
  return app.admit(credentialsOf(request));
}

/** RFC 9112, section 3.2: more than one is an error; Node would take the first. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') count += 1;
  return count;
}

function callOf(request: FastifyRequest, resource: Resource): Call {
  const { grant } = request;
  if (grant === undefined) throw new Error('the request was never let in');
  return { ...questionOf(request, resource), grant };
}

function questionOf(request: FastifyRequest, resource: Resource): Question {
  const { stopwatch } = request;
  if (stopwatch === undefined) throw new Error('the request was never looked at');
  return {
    resource,
    query: splitTarget(request.url).query,
    requestId: request.id,
    ifNoneMatch: request.headers['if-none-match'],
    accept: request.headers.accept,
    isChunked: request.raw.httpVersion !== '1.0',
    stopwatch,
  };
}
