/** Answers on their way out. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { catalog } from '../catalog/catalog.ts';
import { apiPath } from '../catalog/resource.ts';
import { mention } from '../problem/mention.ts';
import { nearest } from '../problem/nearest.ts';
import { Problem } from '../problem/problem.ts';
import { problemReply } from '../reply/problem.ts';
import { isStream, type Reply } from '../reply/reply.ts';
import { splitTarget } from '../request/target.ts';
import { sendStream, streamHeaders } from './stream.ts';

export function send(reply: FastifyReply, answer: Reply | Problem): void {
  const { id, url, stopwatch } = reply.request;
  const { status, headers, body } =
    answer instanceof Problem ? problemReply(answer, { requestId: id, target: url }) : answer;
  const { raw } = reply;
  raw.writeHead(status, {
    ...headers,
    ...(isStream(body) ? streamHeaders(body) : body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    ...(stopwatch !== undefined && { 'server-timing': stopwatch.print() }),
    'x-request-id': id,
    'x-content-type-options': 'nosniff',
  });
  // Past the framework, which would look at the body and the headers again.
  reply.hijack();
  if (isStream(body)) sendStream(raw, body);
  // Node leaves the body of an answer to HEAD out.
  else raw.end(body);
}

export function answerNotFound(request: FastifyRequest, reply: FastifyReply): void {
  send(reply, noSuchPath(request));
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
