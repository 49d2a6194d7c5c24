/** What every handler gets and returns: an authenticated request on its way through the stages. */

import type { Session } from '../access/authenticate.ts';
import { type Handled, isCurrent } from '../access/under-session.ts';
import type { Resource } from '../catalog/resource.ts';
import type { Observed } from '../observe/observed.ts';
import type { Timing } from '../observe/timing.ts';
import { type Reply, unlessMatched } from '../reply/reply.ts';
import type { CachedResponse, CachedResponses } from '../reply/response-cache.ts';
import type { Turn } from '../request/long-input.ts';
import type { Request } from '../request/request.ts';
import type { Caller, NoAccess } from '../store/store.ts';
import type { LedgerVersion } from '../store/version.ts';
import type { Service } from './service.ts';

export interface Call {
  readonly request: Request;
  readonly session: Session;
  readonly timing: Timing;
  readonly observed: Observed;
  readonly service: Service;
  /** For long input. */
  readonly turn: Turn;
}

export type Outcome = Handled<Reply>;

export function callerOf({ session: { account, access }, request: { deadline } }: Call): Caller {
  return { account: account.id, access, deadline };
}

/** For replies that no statement has verified: whether the session still holds. */
export function hasAccess({ session, service }: Call): Promise<boolean> {
  return isCurrent(service, session);
}

/** What is cached for a resource at its current version. */
export async function currentResponses(call: Call, resource: Resource): Promise<CachedResponses | NoAccess> {
  const { session } = call;
  const version = await call.service.store.version(session.account.id);
  const ledger = version?.ledger.get(resource.name);
  if (version?.access !== session.access || ledger === undefined) return 'no access';
  return responsesAt(call, resource, ledger);
}

export function responsesAt({ session, service }: Call, resource: Resource, version: LedgerVersion): CachedResponses {
  return service.responses.at(session.account.id, resource, version);
}

/** Resolves when the resource has changed, or after this many seconds. The key may have been revoked meanwhile. */
export async function waitFor(
  call: Call,
  resource: Resource,
  version: LedgerVersion,
  seconds: number,
): Promise<NoAccess | undefined> {
  const { request, session } = call;
  const { deadline } = request;
  deadline.extend(seconds * 1_000);
  const over = new AbortController();
  const end = () => over.abort();
  const { clock } = call.service;
  const cancelTimer = clock.after(seconds * 1_000, end);
  deadline.signal.addEventListener('abort', end);
  if (deadline.signal.aborted) end();
  const started = clock.monotonic();
  try {
    await call.service.store.changed(session.account.id, resource, version, over.signal);
  } finally {
    cancelTimer();
    deadline.signal.removeEventListener('abort', end);
  }
  call.observed.waited += clock.monotonic() - started;
  return call.service.sessions.holds(session) ? undefined : 'no access';
}

export function fromCache(response: CachedResponse, { request, observed }: Call): Reply {
  observed.totalSource = 'response cache';
  observed.loggedFilter = response.loggedFilter;
  return unlessMatched(response, request.headers['if-none-match']);
}
