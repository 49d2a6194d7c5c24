/**
 * Problems with all that is wrong with a request fixed at once: a client that sends the request that a problem suggests gets a result, not the next
 * problem.
 */

import { fieldNames, type Resource } from '../catalog/resource.ts';
import { planAggregate } from '../plan/aggregate.ts';
import { planChanges } from '../plan/changes.ts';
import { planExport, planList } from '../plan/list.ts';
import { planRecord } from '../plan/record.ts';
import { Problem } from '../problem/problem.ts';
import { changesFormat, listFormat } from '../request/accept.ts';
import { givenParameters } from '../request/given-parameters.ts';
import {
  AGGREGATE_PARAMETERS,
  CHANGES_PARAMETERS,
  DIGEST_PARAMETERS,
  EXPORT_PARAMETERS,
  LIST_PARAMETERS,
  type ParameterName,
  RECORD_PARAMETERS,
  type WholeQuery,
} from '../request/parameters.ts';
import { printQuery, readQuery } from '../request/query-string.ts';
import type { ResourceEndpoint, Route } from '../request/route.ts';
import { meantByFixed } from './found-hint.ts';
import type { Call } from './handler.ts';

/** How many parameters are fixed. */
const MAX_FIXES = 12;

/** The longest query string that is fixed, in characters: it is planned again for each parameter. */
const MAX_LENGTH = 8_000;

interface Checked {
  readonly allowed: readonly ParameterName[];
  /** Undefined if the query is valid. */
  readonly check: (query: WholeQuery) => Problem | undefined;
}

/** If something cannot be fixed, the problem says in words what to change. */
export async function corrected(
  problem: Problem,
  call: Call,
  { kind, parameter }: Pick<Route<ResourceEndpoint>, 'kind' | 'parameter'>,
  resource: Resource,
): Promise<Problem> {
  const { headers, target } = call.request;
  const { code, detail, context } = problem;
  const { fixed, ...others } = context;
  const checked = checks(kind, resource, parameter, headers.accept);
  if (checked === undefined || (fixed === undefined && context.parameter !== 'filter')) return problem;
  const values = allFixed(fixed, target.query, checked, fieldNames(resource));
  if (values === undefined) return fixed === undefined ? problem : new Problem(code, detail, others);
  const { q, filter } = values;
  const selected = { ...(q !== undefined && { q }), ...(filter !== undefined && { filter }) };
  const meant = filter === undefined ? undefined : await meantByFixed(call, resource, selected);
  const whole = meant === undefined ? values : { ...values, filter: meant.filter, page: undefined };
  return new Problem(code, detail, { ...others, fixed: whole, isWhole: true });
}

type Values = Readonly<Record<string, string | undefined>>;

function allFixed(
  fixed: Values | undefined,
  query: string,
  { allowed, check }: Checked,
  fields: readonly string[],
): Values | undefined {
  if (query.length > MAX_LENGTH) return undefined;
  const given = givenParameters(query, allowed, fields);
  if (given === undefined) return undefined;
  const read = readQuery(query, allowed, fields);
  // Without a fix of its own, only a parameter that was taken for a condition can be the reason.
  if (fixed === undefined && (read instanceof Problem || read.values.filter === given['filter'])) return undefined;
  let values: Values = { ...given, ...fixed };
  for (let fixes = 0; fixes < MAX_FIXES; fixes += 1) {
    const again = readQuery(printQuery(unknownFirst(values, allowed)), allowed, fields);
    const next = again instanceof Problem ? again : check(again);
    if (next === undefined) return values;
    if (next.context.fixed === undefined) return undefined;
    values = { ...values, ...next.context.fixed };
  }
  return undefined;
}

/** What is not a parameter would continue a filter before it. */
function unknownFirst(values: Values, allowed: readonly ParameterName[]): Values {
  const isKnown = ([name]: readonly [string, unknown]) => allowed.some((one) => one === name);
  const entries = Object.entries(values);
  return Object.fromEntries([...entries.filter((each) => !isKnown(each)), ...entries.filter(isKnown)]);
}

function checks(
  kind: ResourceEndpoint['kind'],
  resource: Resource,
  id: string,
  accept: string | undefined,
): Checked | undefined {
  const problemOf = (planned: unknown) => (planned instanceof Problem ? planned : undefined);
  switch (kind) {
    case 'list':
      return { allowed: LIST_PARAMETERS, check: (query) => checkList(query, resource, accept) };
    case 'record':
      return { allowed: RECORD_PARAMETERS, check: (query) => problemOf(planRecord(resource, id, query)) };
    case 'changes':
      return {
        allowed: CHANGES_PARAMETERS,
        check: (query) =>
          problemOf(changesFormat(accept, query.values.format)) ?? problemOf(planChanges(resource, query)),
      };
    case 'digest':
      return {
        allowed: DIGEST_PARAMETERS,
        check: (query) => problemOf(planExport(resource, query, { kind: 'ndjson' })),
      };
    case 'aggregate':
      return { allowed: AGGREGATE_PARAMETERS, check: (query) => problemOf(planAggregate(resource, query)) };
    default:
      return undefined;
  }
}

function checkList(query: WholeQuery, resource: Resource, accept: string | undefined): Problem | undefined {
  const format = listFormat(accept, query.values.format);
  if (format instanceof Problem) return format;
  if (format.kind === 'json') {
    const plan = planList(resource, query);
    return plan instanceof Problem ? plan : undefined;
  }
  const read = readQuery(printQuery(query.values), EXPORT_PARAMETERS, fieldNames(resource));
  if (read instanceof Problem) return read;
  const plan = planExport(resource, read, format);
  return plan instanceof Problem ? plan : undefined;
}
