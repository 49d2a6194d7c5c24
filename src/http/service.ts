/** The outside of the application: connections, request ids, limits, and an answer of our own to whatever goes wrong. */

import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { App } from '../app.ts';
import type { Emit } from '../events.ts';
import { Problem } from '../problem/problem.ts';
import { requestId } from '../request/request-id.ts';
import { MAX_HEAD_BYTES, MAX_REQUEST_LINE_BYTES, splitTarget } from '../request/target.ts';
import { API_PREFIX, addApi, admit } from './api.ts';
import { problemOf } from './failure.ts';
import { addProblemPages } from './problem-pages.ts';
import { grantOf } from './request-grant.ts';
import { noSuchPath, send } from './send.ts';
import { answerUnreadable } from './unreadable.ts';

/** How long a client may take to send a whole request, in milliseconds. */
const REQUEST_TIMEOUT = 60_000;

export function createService(app: App, emit: Emit): FastifyInstance {
  const service = Fastify({
    // A request without a Host header gets an answer of ours, not Node's empty one.
    http: { maxHeaderSize: MAX_HEAD_BYTES, requireHostHeader: false },
    requestTimeout: REQUEST_TIMEOUT,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_REQUEST_LINE_BYTES },
    // While the service stops, requests on open connections are still answered.
    return503OnClosing: false,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    clientErrorHandler: answerUnreadable,
    frameworkErrors: (_error, request, reply) => void answerMalformedPath(app, request, reply),
  });
  let isStopping = false;
  service.addHook('preClose', async () => {
    isStopping = true;
  });
  service.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
  });
  service.addHook('onResponse', async (request, { statusCode, elapsedTime }) => {
    // A connection that is kept alive would keep the service from stopping.
    if (isStopping) setImmediate(() => service.server.closeIdleConnections());
    const grant = grantOf(request);
    emit({
      kind: 'answered',
      requestId: request.id,
      method: request.method,
      path: splitTarget(request.url).path,
      status: statusCode,
      milliseconds: Math.round(elapsedTime * 1_000) / 1_000,
      ...(grant !== undefined && { account: grant.account.name, key: grant.keyId }),
    });
  });
  service.setErrorHandler((error, request, reply) => send(reply, problemOf(error, request, emit)));
  service.setNotFoundHandler((request, reply) => send(reply, noSuchPath(request)));
  // Node would refuse an Expect header that it does not know with an empty 417.
  service.server.on('checkExpectation', (request, response) => service.routing(request, response));
  addProblemPages(service);
  addApi(service, app);
  return service;
}

/** The router could not decode the path. Even so, whoever asks about the API has to say who they are first. */
async function answerMalformedPath(app: App, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  reply.header('x-request-id', request.id);
  const grant = request.url.startsWith(API_PREFIX) ? await admit(app, request) : undefined;
  const problem =
    grant instanceof Problem ? grant : new Problem('malformed_path', 'The path is not percent-encoded UTF-8.');
  await send(reply, problem);
}
