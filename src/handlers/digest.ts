/** The hash of a list as lines. */

import { fieldNames, type Resource } from '../catalog/resource.ts';
import { checkFilterCost } from '../plan/cost.ts';
import { planExport } from '../plan/list.ts';
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
  const tag = (version: LedgerVersion) => entityTag(session.account, version, 'digest');
  const ifNoneMatch = request.headers['if-none-match'];
  if (ifNoneMatch !== undefined && tagMatches(ifNoneMatch, tag(state.version))) return notModified(tag(state.version));
  const known = state.digest(target.query);
  if (known !== undefined) return jsonReply(200, { ...cacheable(tag(state.version)), ...CACHE_HIT }, known);
  const tooCostly = checkFilterCost(plan, state.version.rows);
  if (tooCostly !== undefined) return tooCostly;
  const opened = await call.service.exports.open(
    session.account.id,
    () => call.service.store.records.export(callerOf(call), plan),
    () => undefined,
  );
  if (opened instanceof Problem || opened === 'no access') return opened;
  const digest = await digestOf(opened);
  timing.end('store');
  const reply = digestReply(digest, opened.version, { account: session.account, resource }, tag(opened.version));
  call.service.store.state(session.account.id, resource, opened.version).keepDigest(target.query, reply.body);
  return reply;
}
