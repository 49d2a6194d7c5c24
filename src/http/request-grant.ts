/** The grant that a request was given, kept beside it. */

import type { FastifyRequest } from 'fastify';
import type { Grant } from '../access/grant.ts';

const grants = new WeakMap<FastifyRequest, Grant>();

export function keepGrant(request: FastifyRequest, grant: Grant): void {
  grants.set(request, grant);
}

export function grantOf(request: FastifyRequest): Grant | undefined {
  return grants.get(request);
}
