/** The grant that a request was given, kept beside it. */

import type { FastifyRequest } from 'fastify';
import type { Admission } from '../access/grants.ts';

const grants = new WeakMap<FastifyRequest, Admission>();

export function keepGrant(request: FastifyRequest, grant: Admission): void {
  grants.set(request, grant);
}

export function grantOf(request: FastifyRequest): Admission | undefined {
  return grants.get(request);
}
