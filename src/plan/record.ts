/** A request for one record to its plan. */

import { apiPath, type Resource, type ResourceOutline } from '../catalog/resource.ts';
import { MAX_INTEGER } from '../catalog/value-types.ts';
import { Problem } from '../problem/problem.ts';
import { quoted } from '../problem/quoted.ts';
import type { Query } from '../request/parameters.ts';
import { planFields } from './fields.ts';
import type { RecordPlan } from './plan.ts';

export function planRecord(resource: Resource, id: string, { values }: Query): RecordPlan | Problem {
  const fields = values.fields === undefined ? resource.fields : planFields(resource, values.fields);
  if (fields instanceof Problem) return fields;
  if (!/^[1-9][0-9]*$/.test(id) || Number(id) > MAX_INTEGER) return recordNotFound(resource, id);
  return { resource, fields, id: Number(id) };
}

export function recordNotFound(resource: ResourceOutline, id: string): Problem {
  return new Problem('record_not_found', `There is no ${resource.name} with the id ${quoted(id)}.`, {
    suggestion: `GET ${apiPath(resource)} lists the ${resource.plural} of this account.`,
  });
}
