/** A change of a record, and its removal: loads of a single row. */

import type { Field, Resource } from '../catalog/resource.ts';
import { id as idField } from '../catalog/resource.ts';
import type { Value } from '../catalog/value.ts';
import { storageLimitReached, valueTaken } from '../import/import-problem.ts';
import { planPatch } from '../plan/edit.ts';
import type { RecordPlan } from '../plan/plan.ts';
import { planRecord, recordNotFound } from '../plan/record.ts';
import { Problem } from '../problem/problem.ts';
import { entityTag, readRecordTag } from '../reply/entity-tag.ts';
import { changedReply, removedReply, replayed } from '../reply/record.ts';
import { checkNoBody, PATCH_TYPES, readJsonBody } from '../request/body.ts';
import {
  identityOf,
  type KeyedRequest,
  keyInProgress,
  keyReused,
  readIdempotencyKey,
} from '../request/idempotency-key.ts';
import { readIfMatch } from '../request/if-match.ts';
import { NO_PARAMETERS } from '../request/parameters.ts';
import { readQuery } from '../request/query-string.ts';
import { timestamp } from '../schedule/clock.ts';
import { type IncomingRow, type LoadResult, plainLoad } from '../store/store.ts';
import type { RecordVersion } from '../store/version.ts';
import { type Call, callerOf, type Outcome } from './handler.ts';

export async function update(call: Call, resource: Resource, id: string): Promise<Outcome> {
  const plan = planEdit(call, resource, id);
  if (plan instanceof Problem) return plan;
  const body = await readJsonBody(call.request, call.turn, PATCH_TYPES);
  if (body instanceof Problem) return body;
  const values = planPatch(resource, body.json);
  if (values instanceof Problem) return values;
  const row = { line: 1, values: new Map<Field, Value | null>([[idField, plan.record.id], ...values]) };
  const members = Object.fromEntries([...values].map(([{ name }, value]) => [name, value]));
  const result = await load(call, plan, row, `PATCH ${id}`, members);
  if (result === 'no access' || result instanceof Problem) return result;
  const { session } = call;
  if (result.kind === 'loaded') {
    if (result.record === undefined) throw new Error('a change returns the record');
    return changedReply(result.record.text, entityTag(session, result.record.written));
  }
  const found = await call.service.store.records.find(callerOf(call), plan.record);
  if (found === 'no access') return found;
  if (found.kind === 'not found') return recordNotFound(resource, id);
  return replayed(changedReply(found.record, entityTag(session, found.written)));
}

export async function remove(call: Call, resource: Resource, id: string): Promise<Outcome> {
  const plan = planEdit(call, resource, id);
  if (plan instanceof Problem) return plan;
  const problem = await checkNoBody(call.request);
  if (problem !== undefined) return problem;
  const row = { line: 1, values: new Map([[idField, plan.record.id]]), isRemoved: true as const };
  const result = await load(call, plan, row, `DELETE ${id}`);
  if (result === 'no access' || result instanceof Problem) return result;
  return result.kind === 'replayed' ? replayed(removedReply()) : removedReply();
}

interface EditPlan {
  readonly record: RecordPlan;
  readonly versions: readonly RecordVersion[] | undefined;
  readonly key: string | undefined;
}

function planEdit({ request, session }: Call, resource: Resource, id: string): EditPlan | Problem {
  const query = readQuery(request.target.query, NO_PARAMETERS);
  if (query instanceof Problem) return query;
  const record = planRecord(resource, id, query);
  if (record instanceof Problem) return record;
  const key = readIdempotencyKey(request);
  if (key instanceof Problem) return key;
  const tags = readIfMatch(request.headers['if-match']);
  // That it exists is required in any case.
  const versions =
    tags === undefined || tags === '*' ? undefined : tags.flatMap((tag) => readRecordTag(session, tag) ?? []);
  return { record, versions, key };
}

async function load(
  call: Call,
  { record, versions, key }: EditPlan,
  row: IncomingRow,
  request: KeyedRequest,
  members: object = {},
): Promise<Extract<LoadResult, { kind: 'loaded' | 'replayed' }> | Problem | 'no access'> {
  const { timing, service } = call;
  const { resource } = record;
  timing.end('plan');
  const plan = {
    ...plainLoad(resource, timestamp(service.clock)),
    existing: { versions },
    ...(key !== undefined && { idempotency: { key, fingerprint: identityOf(request, members) } }),
  };
  const result = await service.store.records.load(callerOf(call), plan, once([row]));
  timing.end('store');
  switch (result.kind) {
    case 'loaded':
    case 'replayed':
      return result;
    case 'no access':
      return 'no access';
    case 'no such record':
      return recordNotFound(resource, String(record.id));
    case 'record changed':
      return recordChanged(call, record);
    case 'storage exceeded':
      return storageLimitReached(result);
    case 'value taken':
      return valueTaken(resource, result);
    case 'key in progress':
      return keyInProgress();
    case 'key reused':
      return keyReused(resource, request, result);
    default:
      throw new Error(`a load of one record returned ${result.kind}`);
  }
}

async function recordChanged(call: Call, plan: RecordPlan): Promise<Problem | 'no access'> {
  const { resource, id } = plan;
  const found = await call.service.store.records.find(callerOf(call), plan);
  if (found === 'no access') return found;
  if (found.kind === 'not found') return recordNotFound(resource, String(id));
  const tag = entityTag(call.session, found.written);
  return new Problem('record_changed', `The ${resource.name} ${id} does not have the entity tag in If-Match.`, {
    members: { etag: tag },
    headers: { etag: tag },
  });
}

async function* once<Item>(item: Item): AsyncIterable<Item> {
  yield item;
}
