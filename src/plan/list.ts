/** A list request to its plan. */

import { id, type Resource } from '../catalog/resource.ts';
import { Problem } from '../problem/problem.ts';
import type { Given } from '../request/parameters.ts';
import { planFields } from './fields.ts';
import { planFilter } from './filter.ts';
import { DEFAULT_LIMIT, DEFAULT_PAGE, planLimit, planPage } from './page.ts';
import type { ListPlan } from './plan.ts';
import { planSort } from './sort.ts';

export function planList(resource: Resource, { values, continuations }: Given): ListPlan | Problem {
  const fields = values.fields === undefined ? resource.fields : planFields(resource, values.fields);
  if (fields instanceof Problem) return fields;
  const where = values.filter === undefined ? undefined : planFilter(resource, values.filter, continuations);
  if (where instanceof Problem) return where;
  const order = values.sort === undefined ? [{ field: id, descending: false }] : planSort(resource, values.sort);
  if (order instanceof Problem) return order;
  const page = values.page === undefined ? DEFAULT_PAGE : planPage(values.page);
  if (page instanceof Problem) return page;
  const limit = values.limit === undefined ? DEFAULT_LIMIT : planLimit(values.limit);
  if (limit instanceof Problem) return limit;
  return { resource, fields, where, order, page, limit };
}
