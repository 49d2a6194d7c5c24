/** Measures of all records that match, and of groups of them. */

import { type Field, fieldNames, id, type Resource } from '../catalog/resource.ts';
import { MAX_GROUPS, planAggregate } from '../plan/aggregate.ts';
import type { AggregatePlan, ExportPlan } from '../plan/plan.ts';
import { BY_ID } from '../plan/sort.ts';
import { Problem } from '../problem/problem.ts';
import { AGGREGATE_PARAMETERS } from '../request/parameters.ts';
import { readQuery } from '../request/query-string.ts';
import type { AggregateBody } from '../store/column-index/thread/aggregate-body.ts';
import type { Pieces } from '../store/pieces.ts';
import { computed } from './computed.ts';
import { type Call, callerOf, type Outcome } from './handler.ts';

/** The maximum number of values that are held in memory for one request: eight bytes each. */
const MAX_VALUES = 16_000_000;

/** The maximum number of characters of different texts that are held in memory for one request. */
const MAX_CHARACTERS = 16_000_000;

export async function aggregate(call: Call, resource: Resource): Promise<Outcome> {
  const { timing, service } = call;
  const query = readQuery(call.request.target.query, AGGREGATE_PARAMETERS, fieldNames(resource));
  if (query instanceof Problem) return query;
  const plan = planAggregate(resource, query);
  if (plan instanceof Problem) return plan;
  timing.end('plan');
  const { measures, facets, limit, order, filter, where } = plan;
  const fields = fieldsOf(plan);
  const request = { measures, facets, limit, order, filter, fields, maxCharacters: MAX_CHARACTERS };
  const { records } = service.store;
  return computed(call, {
    kind: 'aggregate',
    resource,
    values: query.values,
    plan: linesOf(plan, fields),
    passes: facets.length + 1,
    async fromMemory(version) {
      const wanted = { ...request, where, maxValues: MAX_VALUES };
      const found = await records.aggregate(callerOf(call), resource, wanted, version);
      if (found === undefined) return undefined;
      const { total, body } = found;
      return {
        ...found,
        body: body === 'too many values' ? tooManyValues(total, fields.length, resource) : bodyOrProblem(body),
      };
    },
    async fromLines(lines) {
      const { total } = lines;
      if (total * fields.length > MAX_VALUES) return tooManyValues(total, fields.length, resource);
      // Counting needs no records.
      const read = fields.length === 0 ? { ...lines, next: async () => undefined } : lines;
      return bodyOrProblem(await records.aggregateLines(callerOf(call), read, { ...request, total }));
    },
  });
}

function bodyOrProblem(body: AggregateBody): Pieces | Problem {
  if (body === 'too many groups') return tooManyGroups();
  return body === 'too large' ? tooLarge() : body;
}

/** The fields whose values are needed. */
function fieldsOf({ measures, facets }: AggregatePlan): readonly Field[] {
  const measured = measures.flatMap((measure) => (measure.kind === 'count' ? [] : measure.of));
  return [...new Set([...measured, ...facets.map(({ field }) => field)])];
}

function linesOf({ resource, where, filter }: AggregatePlan, fields: readonly Field[]): ExportPlan {
  return {
    resource,
    where,
    filter,
    fields: fields.length === 0 ? [id] : fields,
    order: [BY_ID],
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
