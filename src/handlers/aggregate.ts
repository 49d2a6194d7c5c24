/** Measures of all records that match, and of groups of them. */

import { type Field, fieldNames, id, type Resource } from '../catalog/resource.ts';
import { MAX_GROUPS } from '../columns/grouping.ts';
import { planAggregate } from '../plan/aggregate.ts';
import type { AggregatePlan, ExportPlan } from '../plan/plan.ts';
import { Problem } from '../problem/problem.ts';
import { aggregateBody } from '../reply/aggregate.ts';
import { AGGREGATE_PARAMETERS } from '../request/parameters.ts';
import { readQuery } from '../request/query-string.ts';
import { computed } from './computed.ts';
import type { Call, Outcome } from './handler.ts';

/** The most values that are held in memory for one request: eight bytes each. */
const MAX_VALUES = 16_000_000;

export async function aggregate(call: Call, resource: Resource): Promise<Outcome> {
  const { request, target, timing, service } = call;
  const query = readQuery(target.query, AGGREGATE_PARAMETERS, fieldNames(resource));
  if (query instanceof Problem) return query;
  const plan = planAggregate(resource, query);
  if (plan instanceof Problem) return plan;
  timing.end('plan');
  const { measures, facets, limit, order, filter } = plan;
  const fields = fieldsOf(plan);
  return computed(call, {
    kind: 'aggregate',
    resource,
    plan: linesOf(plan, fields),
    passes: facets.length + 1,
    async compute({ total, next }) {
      const start = { measures, facets, limit, order, filter, fields, total };
      // Counting needs no records.
      if (fields.length === 0)
        return aggregateBody(start, { measures: measures.map(() => total), facets: [] }) ?? tooLarge();
      if (total * fields.length > MAX_VALUES) return tooManyValues(total, fields.length, resource);
      const body = await service.aggregation.consume(start, next, request.deadline.signal);
      if (body === 'too many groups') return tooManyGroups();
      return body === 'too large' ? tooLarge() : body;
    },
  });
}

/** The fields whose values are needed. */
function fieldsOf({ measures, facets }: AggregatePlan): readonly Field[] {
  const measured = measures.flatMap((measure) => (measure.kind === 'count' ? [] : [measure.field]));
  return [...new Set([...measured, ...facets.map(({ field }) => field)])];
}

function linesOf({ resource, where }: AggregatePlan, fields: readonly Field[]): ExportPlan {
  const order = [{ field: id, descending: false }];
  return {
    resource,
    where,
    fields: fields.length === 0 ? [id] : fields,
    order,
    page: undefined,
    format: { kind: 'ndjson' },
  };
}

function tooManyValues(total: number, fields: number, resource: Resource): Problem {
  return new Problem('aggregate_too_large', `The aggregate needs ${fields} fields of ${total} ${resource.plural}.`, {
    suggestion: `Narrow the filter to at most ${Math.floor(MAX_VALUES / fields)} ${resource.plural}, or use fewer fields.`,
  });
}

function tooManyGroups(): Problem {
  return new Problem('too_many_groups', `A facet has more than ${MAX_GROUPS} groups.`, { parameter: 'facets' });
}

function tooLarge(): Problem {
  return new Problem('aggregate_too_large', 'The values of the facets are too long.', {
    parameter: 'facets',
    suggestion: 'Request fewer groups with limit, or facets of fewer text fields.',
  });
}
