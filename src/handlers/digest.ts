/** The hash of a list as lines. */

import { fieldNames, type Resource } from '../catalog/resource.ts';
import { checkFilterCost } from '../plan/cost.ts';
import { planExport } from '../plan/list.ts';
import type { ExportPlan } from '../plan/plan.ts';
import { Problem } from '../problem/problem.ts';
import { digestOf, digestReply } from '../reply/digest.ts';
import { entityTag, tagMatches } from '../reply/entity-tag.ts';
import { CACHE_HIT, cacheable, jsonReply, notModified } from '../reply/reply.ts';
import { DIGEST_PARAMETERS } from '../request/parameters.ts';
import { readQuery } from '../request/query-string.ts';
import type { LedgerVersion } from '../store/version.ts';
import { type Call, callerOf, currentState, type Outcome } from './handler.ts';

export async function digest(call: Call, resource: Resource): Promise<Outcome> {
  const { request, target, session, timing } = call;
  const query = readQuery(target.query, DIGEST_PARAMETERS, fieldNames(resource));
  if (query instanceof Problem) return query;
  const plan = planExport(resource, query, { kind: 'ndjson' });
  if (plan instanceof Problem) return plan;
  timing.end('plan');
  const state = await currentState(call, resource);
  if (state === 'no access') return state;
  const tag = tagOf(call, state.version);
  const ifNoneMatch = request.headers['if-none-match'];
  if (ifNoneMatch !== undefined && tagMatches(ifNoneMatch, tag)) return notModified(tag);
  const known = state.digest(target.query);
  if (known !== undefined) return jsonReply(200, { ...cacheable(tag), ...CACHE_HIT }, known);
  const tooCostly = checkFilterCost(plan, state.version.rows);
  if (tooCostly !== undefined) return tooCostly;
  const key = `${session.account.id} ${resource.name} ${target.query}`;
  const running = call.service.digests.get(key);
  if (running !== undefined) {
    // Its result is then cached, unless it failed, or something was written meanwhile.
    await running.catch(() => undefined);
    return digest(call, resource);
  }
  const computing = compute(call, resource, plan);
  call.service.digests.set(key, computing);
  return computing.finally(() => call.service.digests.delete(key));
}

async function compute(call: Call, resource: Resource, plan: ExportPlan): Promise<Outcome> {
  const { target, session, timing } = call;
  const opened = await call.service.exports.open(
    session.account.id,
    () => call.service.store.records.export(callerOf(call), plan),
    () => undefined,
  );
  if (opened instanceof Problem || opened === 'no access') return opened;
  const found = await digestOf(opened, call.service.hashing);
  timing.end('store');
  const { account } = session;
  const reply = digestReply(found, opened.version, { account, resource }, tagOf(call, opened.version));
  call.service.store.state(session.account.id, resource, opened.version).keepDigest(target.query, reply.body);
  return reply;
}

function tagOf({ session }: Call, version: LedgerVersion): string {
  return entityTag(session.account, version, 'digest');
}
