/** A list request to its plan: one page, or, as an export, everything. */

import type { Resource } from '../catalog/resource.ts';
import { Problem } from '../problem/problem.ts';
import type { StreamFormat } from '../request/accept.ts';
import type { Query } from '../request/parameters.ts';
import { planExplained } from './explain.ts';
import { planFields } from './fields.ts';
import { planMatching } from './matching.ts';
import { planPage } from './page.ts';
import type { ExportPlan, ListPlan, Selection } from './plan.ts';
import { BY_ID, planSort } from './sort.ts';

export function planList(resource: Resource, query: Query): ListPlan | Problem {
  const selection = planSelection(resource, query);
  if (selection instanceof Problem) return selection;
  const page = planPage(query);
  if (page instanceof Problem) return page;
  const explained = planExplained(query, selection);
  return explained instanceof Problem ? explained : { ...selection, ...page, ...(explained && { explained }) };
}

/** Without `page` and `limit`, an export contains everything. */
export function planExport(resource: Resource, query: Query, format: StreamFormat): ExportPlan | Problem {
  const selection = planSelection(resource, query);
  if (selection instanceof Problem) return selection;
  const { page, limit } = query.values;
  const part = page === undefined && limit === undefined ? undefined : planPage(query);
  return part instanceof Problem ? part : { ...selection, page: part, format };
}

function planSelection(resource: Resource, query: Query): Selection | Problem {
  const { values } = query;
  const fields = values.fields === undefined ? resource.fields : planFields(resource, values.fields);
  if (fields instanceof Problem) return fields;
  const matching = planMatching(resource, query);
  if (matching instanceof Problem) return matching;
  const order = values.sort === undefined ? [BY_ID] : planSort(resource, values.sort, matching.search);
  return order instanceof Problem ? order : { resource, fields, ...matching, order };
}
