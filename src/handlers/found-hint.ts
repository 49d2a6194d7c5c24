/** What was probably meant by a filter that finds nothing, if that finds something: it costs about as much as the list itself. */

import type { Resource } from '../catalog/resource.ts';
import { checkFilterCost } from '../plan/cost.ts';
import { hintsFor } from '../plan/filter-hints.ts';
import { planList } from '../plan/list.ts';
import type { ListPlan, Selection } from '../plan/plan.ts';
import type { MeantFilter } from '../plan/text-mistakes.ts';
import { Problem } from '../problem/problem.ts';
import type { Query } from '../request/parameters.ts';
import { Overloaded } from '../schedule/fair-queue.ts';
import { AccountOverloaded } from '../schedule/standing-queue.ts';
import { StoreUnavailable } from '../store/store-error.ts';
import type { LedgerVersion } from '../store/version.ts';
import { type Call, callerOf, currentResponses } from './handler.ts';

/** `values` are the parameters of the request, and `total` is the number of records that match. */
export async function foundHint(
  call: Call,
  { resource, filter }: { readonly resource: Resource } & Pick<Selection, 'filter'>,
  { q, filter: text }: Query['values'],
  total: number,
  version: LedgerVersion,
): Promise<MeantFilter | undefined> {
  for (const hint of hintsFor(resource, text, total, filter)) {
    const plan = planOne(resource, { filter: hint.filter, ...(q !== undefined && { q }) });
    if (plan instanceof Problem || checkFilterCost(plan, version.rows) !== undefined) continue;
    if (((await totalOf(call, plan, version)) ?? 0) > 0) return hint;
  }
  return undefined;
}

/** Of a request that was wrong, as it is suggested: if that would find nothing, what was probably meant by it. */
export async function meantByFixed(
  call: Call,
  resource: Resource,
  values: Query['values'],
): Promise<MeantFilter | undefined> {
  if (hintsFor(resource, values.filter, 0).length === 0) return undefined;
  const responses = await currentResponses(call, resource);
  if (responses === 'no access') return undefined;
  const { version } = responses;
  const plan = planOne(resource, values);
  if (plan instanceof Problem || checkFilterCost(plan, version.rows) !== undefined) return undefined;
  return (await totalOf(call, plan, version)) === 0 ? foundHint(call, plan, values, 0, version) : undefined;
}

function planOne(resource: Resource, { q, filter = '' }: Query['values']): ListPlan | Problem {
  const values = { filter, limit: '1', fields: 'id', ...(q !== undefined && { q }) };
  return planList(resource, { values, continuations: [] });
}

/** Undefined if it cannot be told now: a response does not fail because of its hint. */
async function totalOf(call: Call, plan: ListPlan, version: LedgerVersion): Promise<number | undefined> {
  try {
    const found = await call.service.store.records.list(callerOf(call), plan, version);
    return found === 'no access' ? undefined : found.total;
  } catch (error) {
    if (error instanceof Overloaded || error instanceof AccountOverloaded || error instanceof StoreUnavailable)
      return undefined;
    throw error;
  }
}
