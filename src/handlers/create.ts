/** A new record. */

import type { Resource } from '../catalog/resource.ts';
import { planCreate } from '../plan/create.ts';
import { Problem } from '../problem/problem.ts';
import { createdReply } from '../reply/record.ts';
import { readJsonBody } from '../request/body.ts';
import { NO_PARAMETERS } from '../request/parameters.ts';
import { readQuery } from '../request/query-string.ts';
import { type Call, callerOf, type Outcome } from './handler.ts';

export async function create(call: Call, resource: Resource): Promise<Outcome> {
  const { request, target, timing } = call;
  const query = readQuery(target.query, NO_PARAMETERS);
  if (query instanceof Problem) return query;
  const body = await readJsonBody(request);
  if (body instanceof Problem) return body;
  const plan = planCreate(resource, body.json, new Date().toISOString());
  if (plan instanceof Problem) return plan;
  timing.end('plan');
  const created = await call.service.store.records.create(callerOf(call), plan);
  timing.end('store');
  if (created === 'no access') return created;
  if (created === 'ids exhausted')
    return new Problem('ids_exhausted', `The ${resource.plural} of this account have no identifiers left.`);
  return createdReply(resource, created);
}
