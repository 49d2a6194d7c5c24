/** A new record. */

import type { Resource } from '../catalog/resource.ts';
import { storageLimitReached, valueTaken } from '../import/import-problem.ts';
import { planCreate } from '../plan/create.ts';
import { Problem } from '../problem/problem.ts';
import { createdReply } from '../reply/record.ts';
import { readJsonBody } from '../request/body.ts';
import { identityOf, keyInProgress, keyReused, readIdempotencyKey } from '../request/idempotency-key.ts';
import { NO_PARAMETERS } from '../request/parameters.ts';
import { readQuery } from '../request/query-string.ts';
import { timestamp } from '../schedule/clock.ts';
import { type Call, callerOf, type Outcome } from './handler.ts';

export async function create(call: Call, resource: Resource): Promise<Outcome> {
  const { request, timing } = call;
  const query = readQuery(request.target.query, NO_PARAMETERS);
  if (query instanceof Problem) return query;
  const key = readIdempotencyKey(request);
  if (key instanceof Problem) return key;
  const body = await readJsonBody(request, call.turn);
  if (body instanceof Problem) return body;
  const plan = planCreate(resource, body.json, timestamp(call.service.clock));
  if (plan instanceof Problem) return plan;
  timing.end('plan');
  const idempotency = key === undefined ? undefined : { key, fingerprint: identityOf('POST', Object(body.json)) };
  const created = await call.service.store.records.create(callerOf(call), { ...plan, idempotency });
  timing.end('store');
  switch (created) {
    case 'no access':
      return created;
    case 'ids exhausted':
      return new Problem('ids_exhausted', `The ${resource.plural} of this account have no identifiers left.`);
    case 'key in progress':
      return keyInProgress();
    default:
      if ('id' in created) return createdReply(resource, created);
  }
  switch (created.kind) {
    case 'key reused':
      return keyReused(resource, 'POST', created);
    case 'value taken':
      return valueTaken(resource, created);
    case 'storage exceeded':
      return storageLimitReached(created);
  }
}
