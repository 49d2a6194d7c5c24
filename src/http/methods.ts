/** The methods of requests. Every path has a route for every method: for those that it does not take, one that says so. */

import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../problem/problem.ts';
import { splitTarget } from '../request/target.ts';
import { answerNotFound, send } from './send.ts';

/** All that Node's parser knows; CONNECT never reaches a route. */
const ANSWERABLE = METHODS.filter((method) => method !== 'CONNECT');

/** To be called before there is any route. */
export function takeEveryMethod(service: FastifyInstance): void {
  for (const method of ANSWERABLE)
    if (!service.supportedMethods.includes(method)) service.addHttpMethod(method, { hasBody: true });
}

export function othersThan(allow: readonly string[]): string[] {
  return ANSWERABLE.filter((method) => !allow.includes(method));
}

export function methodNotAllowed({ method, url }: FastifyRequest, allow: readonly string[]): Problem {
  return new Problem('method_not_allowed', `${splitTarget(url).path} does not take ${method}.`, {
    suggestion: `It takes ${allow.join(', ')}.`,
    headers: { allow: allow.join(', ') },
  });
}

const READING = ['GET', 'HEAD'];

/** On a path outside the API, where nobody has to say who they are. */
export function takeNothingButGet(service: FastifyInstance, url: string): void {
  service.route({
    method: othersThan(READING),
    url,
    // Before the framework looks at the body.
    onRequest: async (request, reply) => send(reply, methodNotAllowed(request, READING)),
    handler: answerNotFound,
  });
}
