/** A single record. */

import type { Resource } from '../catalog/resource.ts';
import { planRecord, recordNotFound } from '../plan/record.ts';
import { Problem } from '../problem/problem.ts';
import { entityTag } from '../reply/entity-tag.ts';
import { recordReply } from '../reply/record.ts';
import { asCacheHit, unlessMatched } from '../reply/reply.ts';
import { RECORD_PARAMETERS } from '../request/parameters.ts';
import { readQuery } from '../request/query-string.ts';
import { type Call, callerOf, currentState, fromCache, type Outcome } from './handler.ts';

export async function record(call: Call, resource: Resource, id: string): Promise<Outcome> {
  const { request, target, session, timing } = call;
  const key = `/${id}?${target.query}`;
  // Without a cached response, the statement that finds the record also verifies the session.
  if (call.service.store.latestState(session.account.id, resource)?.response(key) !== undefined) {
    const state = await currentState(call, resource);
    if (state === 'no access') return state;
    const cached = state.response(key);
    timing.end('access');
    if (cached !== undefined) return fromCache(cached, call);
  }
  const query = readQuery(target.query, RECORD_PARAMETERS);
  if (query instanceof Problem) return query;
  const plan = planRecord(resource, id, query);
  if (plan instanceof Problem) return plan;
  timing.end('plan');
  const found = await call.service.store.records.find(callerOf(call), plan);
  timing.end('store');
  if (found === 'no access') return found;
  if (found.kind === 'not found') return recordNotFound(resource, id);
  const reply = recordReply(found, entityTag(session.account, found.written));
  call.service.store.state(session.account.id, resource, found.version).keepResponse(key, asCacheHit(reply));
  return unlessMatched(reply, request.headers['if-none-match']);
}
