/** A request for changes to its plan. */

import { id, type Resource } from '../catalog/resource.ts';
import { Problem } from '../problem/problem.ts';
import type { Query } from '../request/parameters.ts';
import { planFields } from './fields.ts';
import { planMatching } from './matching.ts';
import { DEFAULT_LIMIT, planLimit } from './page.ts';
import type { ChangesPlan } from './plan.ts';

/**
 * How many changes a stream reads at once. More take as long in total, and on SQLite they would delay other requests: 500
 * products take 1.5 ms.
 */
export const STREAM_PAGE = 500;

/** All of it except for the cursor, which is only good for the same filter. */
export function planChanges(resource: Resource, query: Query): Omit<ChangesPlan, 'cursor'> | Problem {
  const { values } = query;
  const fields = values.fields === undefined ? resource.fields : planFields(resource, values.fields);
  if (fields instanceof Problem) return fields;
  if (!fields.includes(id)) return withoutId(values.fields ?? '');
  const matching = planMatching(resource, query);
  if (matching instanceof Problem) return matching;
  const limit = values.limit === undefined ? DEFAULT_LIMIT : planLimit(values.limit);
  return limit instanceof Problem ? limit : { resource, fields, ...matching, limit };
}

/** A copy would not know which record has changed. */
function withoutId(fields: string): Problem {
  const fixed = `id,${fields}`;
  return new Problem('invalid_value', 'Changes need the field id, which identifies the record.', {
    parameter: 'fields',
    suggestion: 'Add id.',
    fixed: { fields: fixed },
  });
}
