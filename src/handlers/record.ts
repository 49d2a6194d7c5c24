/** A single record. */

import type { Resource } from '../catalog/resource.ts';
import { planRecord, recordNotFound } from '../plan/record.ts';
import { Problem } from '../problem/problem.ts';
import { entityTag } from '../reply/entity-tag.ts';
import { recordReply } from '../reply/record.ts';
import { asCacheHit, unlessMatched } from '../reply/reply.ts';
import { RECORD_PARAMETERS } from '../request/parameters.ts';
import { readQuery } from '../request/query-string.ts';
import { type Call, callerOf, currentResponses, fromCache, type Outcome, responsesAt } from './handler.ts';

export async function record(call: Call, resource: Resource, id: string): Promise<Outcome> {
  const { request, session, timing } = call;
  const key = `/${id}?${request.target.query}`;
  // Without a cached response, the statement that finds the record also verifies the session.
  if (call.service.responses.latest(session.account.id, resource)?.response(key) !== undefined) {
    const responses = await currentResponses(call, resource);
    if (responses === 'no access') return responses;
    const cached = responses.response(key);
    timing.end('access');
    if (cached !== undefined) return fromCache(cached, call);
  }
  const query = readQuery(request.target.query, RECORD_PARAMETERS);
  if (query instanceof Problem) return query;
  const plan = planRecord(resource, id, query);
  if (plan instanceof Problem) return plan;
  timing.end('plan');
  const found = await call.service.store.records.find(callerOf(call), plan);
  timing.end('store');
  if (found === 'no access') return found;
  if (found.kind === 'not found') return recordNotFound(resource, id);
  const reply = recordReply(found.record, entityTag(session, found.written));
  responsesAt(call, resource, found.version).keepResponse(key, asCacheHit(reply));
  return unlessMatched(reply, request.headers['if-none-match']);
}
