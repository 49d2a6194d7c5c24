/** The outside of the application: connections, request ids, limits, and an answer of our own to whatever goes wrong. */

import type { IncomingMessage } from 'node:http';
import Fastify, { type FastifyReply, type FastifyRequest, type onResponseHookHandler } from 'fastify';
import type { App } from '../app.ts';
import type { Emit } from '../events.ts';
import { Problem } from '../problem/problem.ts';
import { requestId } from '../request/request-id.ts';
import { MAX_HEAD_BYTES, MAX_REQUEST_LINE_BYTES, splitTarget } from '../request/target.ts';
import { addApi, admit, isApiPath } from './api.ts';
import { Connections } from './connections.ts';
import { problemOf } from './failure.ts';
import { addHealth } from './health.ts';
import { takeEveryMethod } from './methods.ts';
import { addProblemPages } from './problem-pages.ts';
import { answerNotFound, send } from './send.ts';
import { answerUnreadable } from './unreadable.ts';

/** How long a client may take to send a whole request, in milliseconds. */
const REQUEST_TIMEOUT = 60_000;

export interface Service {
  /** Resolves with the port once connections are taken. */
  listen(place: { readonly host: string; readonly port: number }): Promise<number>;
  /** Takes no new connections, and finishes the requests under way, within so many milliseconds. */
  stop(gracePeriod: number): Promise<void>;
}

export function createService(app: App, emit: Emit): Service {
  const service = Fastify({
    http: {
      maxHeaderSize: MAX_HEAD_BYTES,
      // A request without a Host header gets an answer of ours, not Node's empty one.
      requireHostHeader: false,
      // No stream is made ready for the body of a request that has none.
      optimizeEmptyRequests: true,
    },
    requestTimeout: REQUEST_TIMEOUT,
    routerOptions: {
      ignoreTrailingSlash: true,
      maxParamLength: MAX_REQUEST_LINE_BYTES,
      // Query strings are read where it is known what may stand in them (request/query-string.ts).
      querystringParser: () => ({}),
    },
    // While the service stops, requests on open connections are still answered.
    return503OnClosing: false,
    rewriteUrl: originForm,
    genReqId: (request) => requestId(request.headers['x-request-id']),
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, connections),
    frameworkErrors: (_error, request, reply) => void answerMalformedPath(app, emit, request, reply),
  });
  const connections = new Connections(service.server);
  // Nothing but a create has a body that is read.
  service.removeAllContentTypeParsers();
  if (emit.ignores?.('answered') !== true) service.addHook('onResponse', tellOfAnswers(emit));
  service.setErrorHandler((error, request, reply) => send(reply, problemOf(error, request, emit)));
  service.setNotFoundHandler(answerNotFound);
  // Node would refuse an Expect header that it does not know with an empty 417.
  service.server.on('checkExpectation', (request, response) => service.routing(request, response));
  takeEveryMethod(service);
  addProblemPages(service);
  addHealth(service, app);
  addApi(service, app);
  return {
    async listen({ host, port }) {
      await service.listen({ host, port });
      const address = service.server.address();
      return typeof address === 'object' && address !== null ? address.port : port;
    },
    async stop(gracePeriod) {
      await connections.stop(gracePeriod);
      await service.close();
    },
  };
}

function tellOfAnswers(emit: Emit): onResponseHookHandler {
  return (request, { statusCode, elapsedTime }, done) => {
    const grant = request.grant ?? request.recalled;
    emit({
      kind: 'answered',
      requestId: request.id,
      method: request.method,
      path: splitTarget(request.url).path,
      status: statusCode,
      milliseconds: Math.round(elapsedTime * 1_000) / 1_000,
      ...(grant !== undefined && { account: grant.account.name, key: grant.keyId }),
    });
    done();
  };
}

/** RFC 9112, section 3.2.2: where the target is a whole address, its host counts, and the Host header does not. */
function originForm(request: IncomingMessage): string {
  const target = request.url ?? '/';
  const [, host, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target) ?? [];
  if (host === undefined) return target;
  request.headers.host = host;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** The router could not decode the path. Even so, whoever asks about the API has to say who they are first. */
async function answerMalformedPath(app: App, emit: Emit, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  try {
    const grant = isApiPath(request.url) ? await admit(app, request) : undefined;
    const problem = new Problem('malformed_path', 'The path is not percent-encoded UTF-8.');
    send(reply, grant instanceof Problem ? grant : problem);
  } catch (error) {
    send(reply, problemOf(error, request, emit));
  }
}
