/** Responses that take long to compute, from an index in memory or from the lines of a list: once per version, and then cached. */

import type { Resource } from '../catalog/resource.ts';
import { checkFilterCost } from '../plan/cost.ts';
import type { ExportPlan } from '../plan/plan.ts';
import { Problem } from '../problem/problem.ts';
import { type ComputedKind, entityTag } from '../reply/entity-tag.ts';
import { hintHeader } from '../reply/hint.ts';
import { CACHE_HIT, cacheable, jsonReply, notModified, unlessMatched } from '../reply/reply.ts';
import type { Query } from '../request/parameters.ts';
import { unlessAborted } from '../schedule/deadline.ts';
import type { Pieces } from '../store/pieces.ts';
import type { Export, NoAccess, TotalSource } from '../store/store.ts';
import type { LedgerVersion } from '../store/version.ts';
import { foundHint } from './found-hint.ts';
import { type Call, callerOf, currentResponses, type Outcome, responsesAt } from './handler.ts';

/** Roughly how long it takes to read a record and to compute with it, and to go through it once more. */
const READ_TIME = 0.005;
const PASS_TIME = 0.000_5;

export interface Computation {
  readonly kind: ComputedKind;
  readonly resource: Resource;
  /** The parameters of the request. */
  readonly values: Query['values'];
  /** The lines it is computed from. */
  readonly plan: ExportPlan;
  /** How often it goes through all records after it has read them. */
  readonly passes: number;
  /** The body of the response, if it can be computed from what is in memory, at this version or a later one. */
  fromMemory?(version: LedgerVersion): Promise<VersionedBody | undefined>;
  /** The body of the response. Need not read the lines to their end. */
  fromLines(lines: Export): Promise<string | Pieces | Problem>;
}

export interface VersionedBody {
  readonly version: LedgerVersion;
  /** The number of records that match. */
  readonly total: number;
  readonly body: string | Pieces | Problem;
}

interface ComputedBody extends VersionedBody {
  readonly source: TotalSource;
}

export async function computed(call: Call, computation: Computation): Promise<Outcome> {
  const { request, session } = call;
  const { kind, resource, plan, passes } = computation;
  const { deadline } = request;
  call.observed.filter = plan.filter;
  const responses = await currentResponses(call, resource);
  if (responses === 'no access') return responses;
  const tag = entityTag(session, responses.version, kind);
  const ifNoneMatch = request.headers['if-none-match'];
  const unchanged = notModified(ifNoneMatch, tag);
  if (unchanged !== undefined) return unchanged;
  const key = `${kind}?${request.target.query}`;
  const known = responses.computed(key);
  if (known !== undefined) {
    call.observed.totalSource = 'response cache';
    const { body, compressed, headers } = known;
    return { ...jsonReply(200, { ...cacheable(tag), ...CACHE_HIT, ...headers }, body), compressed };
  }
  const tooCostly = checkFilterCost(plan, responses.version.rows);
  if (tooCostly !== undefined) return tooCostly;
  const { computations } = call.service;
  const name = `${session.account.id} ${resource.name} ${resource.version} ${key}`;
  const running = computations.running(name);
  if (running !== undefined) {
    const outcome = await unlessAborted(running, deadline.signal);
    // A result is cached now, unless it failed, or something was written meanwhile.
    return outcome instanceof Problem ? outcome : computed(call, computation);
  }
  const cost = responses.version.rows * (READ_TIME + passes * PASS_TIME);
  const outcome = await computations.run(name, { account: session.account.id, cost, deadline }, () =>
    compute(call, computation, key, responses.version),
  );
  return outcome === 'no access' || outcome instanceof Problem ? outcome : unlessMatched(outcome, ifNoneMatch);
}

async function compute(call: Call, computation: Computation, key: string, current: LedgerVersion): Promise<Outcome> {
  const { session, timing, observed } = call;
  const { kind, resource, values, plan } = computation;
  const found = (await fromMemory(call, computation, current)) ?? (await fromLines(call, computation));
  timing.end('store');
  if (found === 'no access') return found;
  const { version, total, body, source } = found;
  if (body instanceof Problem) return body;
  observed.totalSource = source;
  const hint = hintHeader(plan, `/${kind}`, values, await foundHint(call, plan, values, total, version));
  responsesAt(call, resource, version).keepComputed(key, { body, headers: hint });
  return jsonReply(200, { ...cacheable(entityTag(session, version, kind), source), ...hint }, body);
}

/** Undefined unless the ledger has had the version of what is in memory, which a failover may have lost. */
async function fromMemory(
  call: Call,
  { resource, fromMemory }: Computation,
  current: LedgerVersion,
): Promise<ComputedBody | NoAccess | undefined> {
  const found = await fromMemory?.(current);
  if (found === undefined) return undefined;
  const responses = await currentResponses(call, resource);
  if (responses === 'no access') return responses;
  const { generation, revision } = responses.version;
  return generation === found.version.generation && revision >= found.version.revision
    ? { ...found, source: 'index' }
    : undefined;
}

async function fromLines(call: Call, { plan, fromLines }: Computation): Promise<ComputedBody | NoAccess> {
  const lines = await call.service.store.records.export(callerOf(call), plan);
  if (lines === 'no access') return lines;
  try {
    return { version: lines.version, total: lines.total, source: lines.source, body: await fromLines(lines) };
  } finally {
    await lines.close();
  }
}
