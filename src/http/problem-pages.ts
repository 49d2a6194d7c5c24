/** The pages that the `type` of a problem leads to. They hold nothing of any account, so they need no key. */

import type { FastifyInstance } from 'fastify';
import { PROBLEMS_PATH, problemPage } from '../problem/page.ts';
import { takeNothingButGet } from './methods.ts';
import { noSuchPath, send } from './send.ts';

export function addProblemPages(service: FastifyInstance): void {
  const path = `${PROBLEMS_PATH}/:code`;
  service.get<{ Params: { code: string } }>(path, (request, reply) => {
    const page = problemPage(request.params.code);
    const headers = { 'content-type': 'text/plain; charset=utf-8' };
    send(reply, page === undefined ? noSuchPath(request) : { status: 200, headers, body: page });
  });
  takeNothingButGet(service, path);
}
