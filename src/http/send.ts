/** Answers on their way out. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { catalog } from '../catalog/catalog.ts';
import { apiPath } from '../catalog/resource.ts';
import { mention } from '../problem/mention.ts';
import { nearest } from '../problem/nearest.ts';
import { Problem } from '../problem/problem.ts';
import { problemReply } from '../reply/problem.ts';
import type { Reply } from '../reply/reply.ts';
import { splitTarget } from '../request/target.ts';
import { sendStream } from './stream.ts';

export function send(reply: FastifyReply, answer: Reply | Problem): FastifyReply {
  const { id, url } = reply.request;
  const { status, headers, body } =
    answer instanceof Problem ? problemReply(answer, { requestId: id, target: url }) : answer;
  reply.code(status).headers(headers);
  return body === undefined || body instanceof Uint8Array ? reply.send(body) : sendStream(reply, body);
}

export function noSuchPath({ url }: FastifyRequest): Problem {
  const { path } = splitTarget(url);
  const paths = catalog.map(apiPath);
  const words = path.toLowerCase().split('/');
  const named = catalog.findIndex(({ name, plural }) => words.includes(name) || words.includes(plural));
  const meant = paths[named] ?? nearest(path, paths);
  return new Problem('path_not_found', `There is nothing at ${mention(path)}.`, {
    suggestion: meant === undefined ? `The lists are at ${paths.join(', ')}.` : `Did you mean ${meant}?`,
  });
}
