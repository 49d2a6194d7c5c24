/** A request for changes to its plan. */

import type { Resource } from '../catalog/resource.ts';
import { Problem } from '../problem/problem.ts';
import type { Query } from '../request/parameters.ts';
import { planFields } from './fields.ts';
import { planFilter } from './filter.ts';
import { DEFAULT_LIMIT, planLimit } from './page.ts';
import type { ChangesPlan, Cursor } from './plan.ts';

export function planChanges(resource: Resource, query: Query, cursor: Cursor | undefined): ChangesPlan | Problem {
  const { values, continuations } = query;
  const fields = values.fields === undefined ? resource.fields : planFields(resource, values.fields);
  if (fields instanceof Problem) return fields;
  const where = values.filter === undefined ? undefined : planFilter(resource, values.filter, continuations);
  if (where instanceof Problem) return where;
  const limit = values.limit === undefined ? DEFAULT_LIMIT : planLimit(values.limit);
  return limit instanceof Problem ? limit : { resource, fields, where, limit, cursor };
}
