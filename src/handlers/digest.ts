/** The hash of a list as lines. */

import { fieldNames, type Resource } from '../catalog/resource.ts';
import { planExport } from '../plan/list.ts';
import { Problem } from '../problem/problem.ts';
import { digestBody } from '../reply/digest.ts';
import { DIGEST_PARAMETERS } from '../request/parameters.ts';
import { readQuery } from '../request/query-string.ts';
import { computed } from './computed.ts';
import { type Call, callerOf, type Outcome } from './handler.ts';

export async function digest(call: Call, resource: Resource): Promise<Outcome> {
  const { request, session, timing, service } = call;
  const query = readQuery(request.target.query, DIGEST_PARAMETERS, fieldNames(resource));
  if (query instanceof Problem) return query;
  const plan = planExport(resource, query, { kind: 'ndjson' });
  if (plan instanceof Problem) return plan;
  timing.end('plan');
  return computed(call, {
    kind: 'digest',
    resource,
    values: query.values,
    plan,
    passes: 0,
    async fromLines(lines) {
      const { total, version } = lines;
      const sha256 = await service.store.records.hashLines(callerOf(call), lines);
      return digestBody({ total, sha256 }, version, { account: session.account, resource, where: plan.where });
    },
  });
}
