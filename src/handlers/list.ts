/** A page of a list. */

import { fieldNames, type Resource } from '../catalog/resource.ts';
import { checkFilterCost } from '../plan/cost.ts';
import { checkExplainCost } from '../plan/explain.ts';
import { planList } from '../plan/list.ts';
import type { ListPlan } from '../plan/plan.ts';
import { Problem } from '../problem/problem.ts';
import { entityTag } from '../reply/entity-tag.ts';
import { listReply } from '../reply/list.ts';
import { asCacheHit, notModified, unlessMatched, withPreference } from '../reply/reply.ts';
import type { CachedResponses } from '../reply/response-cache.ts';
import { type ListFormat, listFormat } from '../request/accept.ts';
import { LIST_PARAMETERS, type Query } from '../request/parameters.ts';
import { preferredWait } from '../request/prefer.ts';
import { readQuery } from '../request/query-string.ts';
import type { NoAccess, Page } from '../store/store.ts';
import { exportList } from './export.ts';
import { type Call, callerOf, currentResponses, fromCache, type Outcome, responsesAt, waitFor } from './handler.ts';

export async function list(call: Call, resource: Resource): Promise<Outcome> {
  const { headers } = call.request;
  const format = formatOf(call, resource);
  if (format instanceof Problem) return format;
  if (format.kind !== 'json') return exportList(call, resource, format);
  const wait = headers['if-none-match'] === undefined ? 0 : preferredWait(headers.prefer);
  // A mistake in the query is reported at once.
  const planned = wait > 0 ? planOf(call, resource) : undefined;
  if (planned instanceof Problem) return planned;
  const responses = await responsesAfter(call, resource, wait);
  if (responses === 'no access') return responses;
  const outcome = await listAt(call, resource, responses, planned);
  return outcome === 'no access' || outcome instanceof Problem ? outcome : withPreference(outcome, wait);
}

/** Percent-encoded letters are never needed, but allowed. */
const MAY_NAME_FORMAT = /format|%[67]/i;

function formatOf({ request }: Call, resource: Resource): ListFormat | Problem {
  // Most requests have none, and a response that is cached needs no parameters.
  const query = MAY_NAME_FORMAT.test(request.target.query)
    ? readQuery(request.target.query, LIST_PARAMETERS, fieldNames(resource))
    : undefined;
  return query instanceof Problem ? query : listFormat(request.headers.accept, query?.values.format);
}

interface Planned {
  readonly plan: ListPlan;
  readonly values: Query['values'];
}

function planOf({ request }: Call, resource: Resource): Planned | Problem {
  const query = readQuery(request.target.query, LIST_PARAMETERS, fieldNames(resource));
  if (query instanceof Problem) return query;
  const plan = planList(resource, query);
  return plan instanceof Problem ? plan : { plan, values: query.values };
}

async function listAt(
  call: Call,
  resource: Resource,
  responses: CachedResponses,
  plannedBefore: Planned | undefined,
): Promise<Outcome> {
  const { request, session, timing, observed } = call;
  const ifNoneMatch = request.headers['if-none-match'];
  const key = `?${request.target.query}`;
  const cached = responses.response(key);
  timing.end('access');
  if (cached !== undefined) return fromCache(cached, call);

  const planned = plannedBefore ?? planOf(call, resource);
  if (planned instanceof Problem) return planned;
  const { plan, values } = planned;
  observed.filter = plan.filter;
  timing.end('plan');
  const tag = entityTag(session.account, responses.version);
  const unchanged = notModified(ifNoneMatch, tag);
  if (unchanged !== undefined) return unchanged;
  const { rows } = responses.version;
  const tooCostly = checkFilterCost(plan, rows) ?? checkExplainCost(plan, rows);
  if (tooCostly !== undefined) return tooCostly;
  const found = await call.service.store.records.list(callerOf(call), plan, responses.version);
  const page = found === 'no access' ? found : await withSearchHints(call, plan, found);
  timing.end('store');
  if (page === 'no access') return page;
  observed.totalSource = page.source;
  const reply = listReply(page, plan, values, entityTag(session.account, page.version));
  responsesAt(call, resource, page.version).keepResponse(key, asCacheHit(reply));
  return unlessMatched(reply, ifNoneMatch);
}

/** Roughly how long it takes to compare a word with those of a record. */
const COMPARISON_TIME = 0.005;

function withSearchHints(call: Call, plan: ListPlan, page: Page): Promise<Page | NoAccess> | Page {
  const { request, session, service } = call;
  const isInVain = plan.explained?.some(({ kind }, index) => kind === 'word' && page.explained?.[index]?.alone === 0);
  if (isInVain !== true) return page;
  const { resource } = plan;
  const cost = page.version.rows * COMPARISON_TIME;
  const job = { account: session.account.id, cost, deadline: request.deadline };
  return service.computations.run(`${session.account.id} ${resource.name} words?${request.target.query}`, job, () =>
    service.store.records.withSearchHints(callerOf(call), plan, page),
  );
}

/** At the current version; if the client has it already, and wants to wait, at the version after the next change. */
async function responsesAfter(call: Call, resource: Resource, wait: number): Promise<CachedResponses | NoAccess> {
  const responses = await currentResponses(call, resource);
  if (wait === 0 || responses === 'no access') return responses;
  const tag = entityTag(call.session.account, responses.version);
  if (notModified(call.request.headers['if-none-match'], tag) === undefined) return responses;
  return (await waitFor(call, resource, responses.version, wait)) ?? currentResponses(call, resource);
}
