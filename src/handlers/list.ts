/** A page of a list. */

import { fieldNames, type Resource } from '../catalog/resource.ts';
import { loggedFilter } from '../observe/logged-filter.ts';
import { checkFilterCost } from '../plan/cost.ts';
import { checkExplainCost } from '../plan/explain.ts';
import { planList } from '../plan/list.ts';
import type { ListPlan } from '../plan/plan.ts';
import { Problem } from '../problem/problem.ts';
import { entityTag } from '../reply/entity-tag.ts';
import { listReply } from '../reply/list.ts';
import { asCacheHit, notModified, type Reply, unlessMatched, withPreference } from '../reply/reply.ts';
import type { CachedResponses } from '../reply/response-cache.ts';
import { type ListFormat, listFormat } from '../request/accept.ts';
import { LIST_PARAMETERS, type Query } from '../request/parameters.ts';
import { preferredWait } from '../request/prefer.ts';
import { readQuery } from '../request/query-string.ts';
import { unlessAborted } from '../schedule/deadline.ts';
import type { NoAccess, Page } from '../store/store.ts';
import { exportList } from './export.ts';
import { foundHint } from './found-hint.ts';
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
  const tag = entityTag(session, responses.version);
  const unchanged = notModified(ifNoneMatch, tag);
  if (unchanged !== undefined) return unchanged;
  const { rows } = responses.version;
  const tooCostly = checkFilterCost(plan, rows) ?? checkExplainCost(plan, rows);
  if (tooCostly !== undefined) return tooCostly;
  const found = await call.service.store.records.list(callerOf(call), plan, responses.version);
  timing.end('store');
  if (found === 'no access') return found;
  const { account } = session;
  const keep = async (page: Page): Promise<Reply> => {
    const hint = await foundHint(call, plan, values, page.total, page.version);
    observed.totalSource = page.source;
    const reply = listReply(page, plan, values, entityTag(session, page.version), hint);
    responsesAt(call, resource, page.version).keepResponse(key, {
      ...asCacheHit(reply),
      loggedFilter: observed.query && loggedFilter(observed.query, plan.filter, false),
    });
    return unlessMatched(reply, ifNoneMatch);
  };
  const words = wordsInVain(plan, found);
  if (words === 0) return keep(found);
  const { computations, store } = call.service;
  const name = `${account.id} ${resource.name} ${resource.version} words${key}`;
  const running = computations.running(name);
  if (running !== undefined) {
    await unlessAborted(running, request.deadline.signal);
    // The response is cached now, unless it failed, or something was written meanwhile.
    const current = await currentResponses(call, resource);
    return current === 'no access' ? current : listAt(call, resource, current, planned);
  }
  const job = { account: account.id, cost: found.version.rows * words * COMPARISON_TIME, deadline: request.deadline };
  return computations.run(name, job, async () => {
    const page = await store.records.withSearchHints(callerOf(call), plan, found);
    timing.end('store');
    return page === 'no access' ? page : keep(page);
  });
}

/** Roughly how long it takes to read the texts of a record, and to compare a word with them, in milliseconds. */
const COMPARISON_TIME = 0.005;

/** How many words no record has, if that is to be explained. */
function wordsInVain({ explained = [] }: ListPlan, page: Page): number {
  return explained.filter(({ kind }, index) => kind === 'word' && page.explained?.[index]?.alone === 0).length;
}

/** At the current version; if the client has it already, and wants to wait, at the version after the next change. */
async function responsesAfter(call: Call, resource: Resource, wait: number): Promise<CachedResponses | NoAccess> {
  const responses = await currentResponses(call, resource);
  if (wait === 0 || responses === 'no access') return responses;
  const tag = entityTag(call.session, responses.version);
  if (notModified(call.request.headers['if-none-match'], tag) === undefined) return responses;
  return (await waitFor(call, resource, responses.version, wait)) ?? currentResponses(call, resource);
}
