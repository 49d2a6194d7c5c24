/** A list request to its plan: a page of it, or, as a stream, all of it. */

import { id, type Resource } from '../catalog/resource.ts';
import { Problem } from '../problem/problem.ts';
import type { LineFormat } from '../request/accept.ts';
import type { Given } from '../request/parameters.ts';
import { planFields } from './fields.ts';
import { planFilter } from './filter.ts';
import { DEFAULT_LIMIT, DEFAULT_PAGE, planLimit, planPage } from './page.ts';
import type { ExportPlan, ListPlan, PageOfList, Selection } from './plan.ts';
import { planSort } from './sort.ts';

export function planList(resource: Resource, given: Given): ListPlan | Problem {
  const selection = planSelection(resource, given);
  if (selection instanceof Problem) return selection;
  const page = planPageOfList(given);
  return page instanceof Problem ? page : { ...selection, ...page };
}

/** Without `page` and `limit` it is everything. */
export function planExport(resource: Resource, given: Given, format: LineFormat): ExportPlan | Problem {
  const selection = planSelection(resource, given);
  if (selection instanceof Problem) return selection;
  const { page, limit } = given.values;
  const part = page === undefined && limit === undefined ? undefined : planPageOfList(given);
  return part instanceof Problem ? part : { ...selection, page: part, format };
}

function planSelection(resource: Resource, { values, continuations }: Given): Selection | Problem {
  const fields = values.fields === undefined ? resource.fields : planFields(resource, values.fields);
  if (fields instanceof Problem) return fields;
  const where = values.filter === undefined ? undefined : planFilter(resource, values.filter, continuations);
  if (where instanceof Problem) return where;
  const order = values.sort === undefined ? [{ field: id, descending: false }] : planSort(resource, values.sort);
  return order instanceof Problem ? order : { resource, fields, where, order };
}

function planPageOfList({ values }: Given): PageOfList | Problem {
  const page = values.page === undefined ? DEFAULT_PAGE : planPage(values.page);
  if (page instanceof Problem) return page;
  const limit = values.limit === undefined ? DEFAULT_LIMIT : planLimit(values.limit);
  return limit instanceof Problem ? limit : { page, limit };
}
