/**
 * The application: the path of a request, stage by stage. `http/` brings requests here and sends what comes back.
 *
 *     access    host and key to a session: which account, and what may be done there
 *     request   path, query string and body to route and parameters, syntax only
 *     plan      names resolved against the catalog, values typed, limits applied
 *     store     one statement, one snapshot
 *     reply     what was found to bytes and headers
 *
 * A stage returns its result or a problem, and the first problem is the reply.
 *
 * A session is taken from memory if possible, and every store call carries the access version it was granted under. If that
 * is no longer current, the request is authenticated and handled once more, so nothing derived from an outdated session is
 * ever sent.
 */

import { keyNotAccepted, requireScope, type Session } from './access/authenticate.ts';
import type { KeyUse } from './access/key-use.ts';
import type { RateLimiter } from './access/rate-limiter.ts';
import type { Sessions } from './access/sessions.ts';
import { fieldNames, type Resource } from './catalog/resource.ts';
import { ExportSlots } from './export-slots.ts';
import type { UnsentBytes } from './http/unsent-bytes.ts';
import type { Emit } from './observe/events.ts';
import { Timing } from './observe/timing.ts';
import { planChanges } from './plan/changes.ts';
import { checkFilterCost } from './plan/cost.ts';
import { planCreate } from './plan/create.ts';
import { planExport, planList } from './plan/list.ts';
import type { Cursor } from './plan/plan.ts';
import { planRecord, recordNotFound } from './plan/record.ts';
import { problemPage } from './problem/page.ts';
import { Problem } from './problem/problem.ts';
import { changeEvents, changeLines, changesReply, cursorExpired } from './reply/changes.ts';
import { readCursor } from './reply/cursor.ts';
import { digestOf, digestReply } from './reply/digest.ts';
import { entityTag, tagMatches } from './reply/entity-tag.ts';
import { exportReply, streamNeedsChunks } from './reply/export.ts';
import { listReply } from './reply/list.ts';
import { internalError, limitProblem, problemReply, storeProblem } from './reply/problem.ts';
import { createdReply, recordReply } from './reply/record.ts';
import {
  asCacheHit,
  CACHE_HIT,
  cacheable,
  healthReply,
  jsonReply,
  notModified,
  plainReply,
  type Reply,
  unlessMatched,
  withPreference,
} from './reply/reply.ts';
import { changesFormat, type LineFormat, listFormat } from './request/accept.ts';
import { readJsonBody } from './request/body.ts';
import { checkSingleHeaders } from './request/headers.ts';
import {
  CHANGES_PARAMETERS,
  DIGEST_PARAMETERS,
  LIST_PARAMETERS,
  NO_PARAMETERS,
  RECORD_PARAMETERS,
} from './request/parameters.ts';
import { preferredWait } from './request/prefer.ts';
import { readQuery } from './request/query-string.ts';
import type { Request } from './request/request.ts';
import { findApiRoute, findPublicRoute, pathNotFound } from './request/route.ts';
import { checkRequestLine, isApiPath, readTarget, type Target } from './request/target.ts';
import type { CachedResponse, ResourceState } from './store/state/resource-state.ts';
import type { Caller, Changes, NoAccess, Store } from './store/store.ts';
import { isUnreachable, StoreUnavailable, UnusableDatabase } from './store/store-error.ts';
import type { LedgerVersion } from './store/version.ts';

/** How long an event stream is silent at most, in seconds. */
const HEARTBEAT_INTERVAL = 15;

export interface Response {
  readonly reply: Reply;
  /** Undefined if the request was not authenticated. */
  readonly session?: Session | undefined;
  /** Undefined outside of the API, and if it is not to be sent. */
  readonly timing?: Timing | undefined;
}

export interface AppParts {
  readonly store: Store;
  readonly sessions: Sessions;
  readonly keyUse: KeyUse;
  readonly limiter: RateLimiter;
  readonly unsent: UnsentBytes;
  readonly emit: Emit;
  /** Whether responses have the header `Server-Timing`. */
  readonly serverTiming: boolean;
}

/** An API request on its way through the stages. */
interface Call {
  readonly request: Request;
  readonly target: Target;
  readonly session: Session;
  readonly timing: Timing;
}

type Outcome = Reply | Problem | NoAccess;

export class App {
  readonly #store: Store;
  readonly #sessions: Sessions;
  readonly #keyUse: KeyUse;
  readonly #limiter: RateLimiter;
  readonly #unsent: UnsentBytes;
  readonly #emit: Emit;
  readonly #serverTiming: boolean;
  readonly #exports = new ExportSlots();
  #isStopping = false;

  constructor({ store, sessions, keyUse, limiter, unsent, emit, serverTiming }: AppParts) {
    this.#store = store;
    this.#sessions = sessions;
    this.#keyUse = keyUse;
    this.#limiter = limiter;
    this.#unsent = unsent;
    this.#emit = emit;
    this.#serverTiming = serverTiming;
  }

  /** Ends what waits for changes. */
  stopWaiting(): void {
    this.#isStopping = true;
    this.#store.stopWaiting();
  }

  /** Never rejects: whatever goes wrong becomes a problem. */
  async respond(request: Request): Promise<Response> {
    const target = readTarget(request.target);
    if (!isApiPath(target)) return { reply: await this.#reply(request, () => this.#public(request, target)) };
    const timing = new Timing();
    let session: Session | undefined;
    const reply = await this.#reply(request, () =>
      this.#withSession(request, timing, (granted) => {
        session = granted;
        return this.#api({ request, target, session: granted, timing }).catch(limitProblem);
      }),
    );
    return { reply, session, timing: this.#serverTiming ? timing : undefined };
  }

  async #reply(request: Request, body: () => Promise<Reply | Problem>): Promise<Reply> {
    const outcome =
      checkSingleHeaders(request.rawHeaders) ?? (await body().catch((error: unknown) => this.#failure(request, error)));
    return outcome instanceof Problem ? problemReply(outcome, request) : outcome;
  }

  /** The cause goes to the log, never to the client. */
  #failure({ id: requestId }: Request, error: unknown): Problem {
    if (error instanceof StoreUnavailable || error instanceof UnusableDatabase) {
      // A file that was replaced has been reported once, which is enough.
      const isReported = error instanceof UnusableDatabase && error.defect === 'replaced';
      if (!isReported) this.#emit({ kind: 'store unavailable', requestId, error });
      return storeProblem(
        error instanceof StoreUnavailable ? error : new StoreUnavailable('unreachable', error.message),
      );
    }
    this.#emit({ kind: 'request failed', requestId, error });
    return internalError();
  }

  async #public({ method }: Request, target: Target): Promise<Reply | Problem> {
    const route = findPublicRoute(method, target);
    if (route instanceof Problem) return route;
    switch (route.kind) {
      case 'live':
        return healthReply();
      case 'ready':
        await this.#store.check();
        return healthReply();
      case 'problem page': {
        const page = problemPage(route.parameter);
        return page === undefined ? pathNotFound(target.path) : plainReply(page);
      }
    }
  }

  /**
   * Handles a request under the session it was granted before, or, if that no longer holds, under a new one. A reply was
   * verified by the statement that it came from; a problem or an error was not, and is verified here.
   */
  async #withSession(
    request: Request,
    timing: Timing,
    handle: (session: Session) => Promise<Outcome>,
  ): Promise<Reply | Problem> {
    const cached = this.#sessions.cached(request.headers);
    timing.end('access');
    let limited: Problem | undefined;
    if (cached !== undefined) {
      limited = this.#limit(cached);
      const outcome = limited ?? (await handle(cached).catch((error: unknown) => this.#unlessRefused(request, error)));
      const isVerified = outcome !== 'no access' && !(outcome instanceof Problem);
      if (isVerified || (outcome !== 'no access' && (await this.#holds(cached)))) return this.#used(cached, outcome);
    }
    const session = await this.#sessions.grant(request);
    timing.end('access');
    if (session instanceof Problem) return session;
    if (cached === undefined) limited = this.#limit(session);
    const outcome = limited ?? (await handle(session));
    return outcome === 'no access' ? keyNotAccepted() : this.#used(session, outcome);
  }

  #limit({ keyId, account }: Session): Problem | undefined {
    return this.#limiter.take(keyId) ?? this.#unsent.check(account.id);
  }

  /**
   * Only a caller who has access learns about an error. The request is not handled again: it may be a create that was
   * stored although its connection was lost.
   */
  async #unlessRefused(request: Request, error: unknown): Promise<Problem> {
    const session = isUnreachable(error) ? undefined : await this.#sessions.grant(request);
    if (session instanceof Problem) return session;
    throw error;
  }

  async #holds({ account, access }: Session): Promise<boolean> {
    return (await this.#store.version(account.id))?.access === access;
  }

  #used({ keyId }: Session, outcome: Reply | Problem): Reply | Problem {
    this.#keyUse.record(keyId);
    return outcome;
  }

  async #api(call: Call): Promise<Outcome> {
    const { request, target, session } = call;
    const route = findApiRoute(request.method, target);
    if (route instanceof Problem) return route;
    const problem =
      requireScope(session, route.kind === 'create' ? 'write' : 'read') ??
      checkRequestLine(request.method, request.target, request.httpVersion);
    if (problem !== undefined) return problem;
    switch (route.kind) {
      case 'list':
        return this.#list(call, route.resource);
      case 'record':
        return this.#record(call, route.resource, route.parameter);
      case 'changes':
        return this.#changes(call, route.resource);
      case 'digest':
        return this.#digest(call, route.resource);
      case 'create':
        return this.#create(call, route.resource);
    }
  }

  async #list(call: Call, resource: Resource): Promise<Outcome> {
    const { request, target, session, timing } = call;
    const format = listFormat(request.headers.accept);
    if (format instanceof Problem) return format;
    if (format.kind !== 'json') return this.#export(call, resource, format);
    const ifNoneMatch = request.headers['if-none-match'];
    const wait = ifNoneMatch === undefined ? 0 : preferredWait(request.headers.prefer);
    const state = await this.#stateAfter(call, resource, wait);
    if (state === 'no access') return state;
    const key = `?${target.query}`;
    const cached = state.response(key);
    timing.end('access');
    if (cached !== undefined) return this.#cached(cached, call);

    const query = readQuery(target.query, LIST_PARAMETERS, fieldNames(resource));
    if (query instanceof Problem) return query;
    const plan = planList(resource, query);
    if (plan instanceof Problem) return plan;
    timing.end('plan');
    const tag = entityTag(session.account, state.version);
    if (ifNoneMatch !== undefined && tagMatches(ifNoneMatch, tag)) return notModified(tag);
    const tooCostly = checkFilterCost(plan, state.version.rows);
    if (tooCostly !== undefined) return tooCostly;
    const page = await this.#store.records.list(callerOf(call), plan, state);
    timing.end('store');
    if (page === 'no access') return page;
    timing.setTotalSource(page.source);
    const reply = listReply(page, plan, entityTag(session.account, page.version));
    this.#store.state(session.account.id, resource, page.version).keepResponse(key, asCacheHit(reply));
    return unlessMatched(reply, ifNoneMatch);
  }

  /** The same list as lines: all of it, unless a page is requested. */
  async #export(call: Call, resource: Resource, format: LineFormat): Promise<Outcome> {
    const { request, target, session, timing } = call;
    const query = readQuery(target.query, LIST_PARAMETERS, fieldNames(resource));
    if (query instanceof Problem) return query;
    const plan = planExport(resource, query, format);
    if (plan instanceof Problem) return plan;
    timing.end('plan');
    if (request.httpVersion === '1.0') return streamNeedsChunks();
    const state = await this.#currentState(session, resource);
    if (state === 'no access') return state;
    const tag = entityTag(session.account, state.version, format);
    const ifNoneMatch = request.headers['if-none-match'];
    if (ifNoneMatch !== undefined && tagMatches(ifNoneMatch, tag)) return notModified(tag);
    const tooCostly = checkFilterCost(plan, state.version.rows);
    if (tooCostly !== undefined) return tooCostly;
    const opened = await this.#exports.open(
      session.account.id,
      () => this.#store.records.export(callerOf(call), plan),
      (error) => this.#emit({ kind: 'stream aborted', requestId: request.id, error }),
    );
    timing.end('store');
    if (opened instanceof Problem || opened === 'no access') return opened;
    timing.setTotalSource(opened.source);
    return exportReply(opened, plan, entityTag(session.account, opened.version, format));
  }

  async #record(call: Call, resource: Resource, id: string): Promise<Outcome> {
    const { request, target, session, timing } = call;
    const key = `/${id}?${target.query}`;
    // Without a cached response, the statement that finds the record also verifies the session.
    if (this.#store.latestState(session.account.id, resource)?.response(key) !== undefined) {
      const state = await this.#currentState(session, resource);
      if (state === 'no access') return state;
      const cached = state.response(key);
      timing.end('access');
      if (cached !== undefined) return this.#cached(cached, call);
    }
    const query = readQuery(target.query, RECORD_PARAMETERS);
    if (query instanceof Problem) return query;
    const plan = planRecord(resource, id, query);
    if (plan instanceof Problem) return plan;
    timing.end('plan');
    const found = await this.#store.records.find(callerOf(call), plan);
    timing.end('store');
    if (found === 'no access') return found;
    if (found.kind === 'not found') return recordNotFound(resource, id);
    const reply = recordReply(found, entityTag(session.account, found.written));
    this.#store.state(session.account.id, resource, found.version).keepResponse(key, asCacheHit(reply));
    return unlessMatched(reply, request.headers['if-none-match']);
  }

  /** The hash of what an export would be. */
  async #digest(call: Call, resource: Resource): Promise<Outcome> {
    const { request, target, session, timing } = call;
    const query = readQuery(target.query, DIGEST_PARAMETERS, fieldNames(resource));
    if (query instanceof Problem) return query;
    const plan = planExport(resource, query, { kind: 'ndjson' });
    if (plan instanceof Problem) return plan;
    timing.end('plan');
    const state = await this.#currentState(session, resource);
    if (state === 'no access') return state;
    const tag = (version: LedgerVersion) => entityTag(session.account, version, 'digest');
    const ifNoneMatch = request.headers['if-none-match'];
    if (ifNoneMatch !== undefined && tagMatches(ifNoneMatch, tag(state.version)))
      return notModified(tag(state.version));
    const known = state.digest(target.query);
    if (known !== undefined) return jsonReply(200, { ...cacheable(tag(state.version)), ...CACHE_HIT }, known);
    const tooCostly = checkFilterCost(plan, state.version.rows);
    if (tooCostly !== undefined) return tooCostly;
    const opened = await this.#exports.open(
      session.account.id,
      () => this.#store.records.export(callerOf(call), plan),
      () => undefined,
    );
    if (opened instanceof Problem || opened === 'no access') return opened;
    const digest = await digestOf(opened);
    timing.end('store');
    const reply = digestReply(digest, opened.version, { account: session.account, resource }, tag(opened.version));
    this.#store.state(session.account.id, resource, opened.version).keepDigest(target.query, reply.body);
    return reply;
  }

  /** What was written since the client last asked. */
  async #changes(call: Call, resource: Resource): Promise<Outcome> {
    const { request, target, session, timing } = call;
    const format = changesFormat(request.headers.accept);
    if (format instanceof Problem) return format;
    const query = readQuery(target.query, CHANGES_PARAMETERS, fieldNames(resource));
    if (query instanceof Problem) return query;
    const resumed = format === 'event-stream' ? request.headers['last-event-id'] : undefined;
    const since = resumed || query.values.since;
    const cursor = since === undefined ? undefined : readCursor(since, session.account, resource);
    if (cursor instanceof Problem) return cursor;
    const plan = planChanges(resource, query, cursor);
    if (plan instanceof Problem) return plan;
    timing.end('plan');
    const isLines = format === 'ndjson' || format === 'ndjson with end';
    const separator = isLines ? 'line break' : 'comma';
    const read = (position: Cursor | undefined) =>
      this.#store.records.changes(callerOf(call), { ...plan, cursor: position }, separator);
    let found = await read(cursor);
    const wait = format === 'json' ? preferredWait(request.headers.prefer) : 0;
    if (wait > 0 && typeof found === 'object' && found.count === 0) {
      await this.#waitFor(call, resource, found.version, wait);
      found = await read(cursor);
    }
    timing.end('store');
    if (found === 'no access') return found;
    if (found === 'cursor expired') return cursorExpired(resource);
    const of = { account: session.account, resource };
    const continued = async (previous: Changes) => {
      const page = await read(previous.cursor);
      // An error breaks the connection, so that a part never looks like the whole.
      if (typeof page === 'string') throw new Error(`the stream of changes cannot be continued: ${page}`);
      return page;
    };
    switch (format) {
      case 'json':
        return withPreference(changesReply(found, of), wait);
      case 'ndjson':
      case 'ndjson with end':
        if (request.httpVersion === '1.0') return streamNeedsChunks();
        return changeLines(found, of, continued, format === 'ndjson with end');
      case 'event-stream':
        if (request.httpVersion === '1.0') return streamNeedsChunks();
        return changeEvents(found, of, async (previous) => {
          if (!previous.more) await this.#waitFor(call, resource, previous.version, HEARTBEAT_INTERVAL);
          return request.deadline.signal.aborted || this.#isStopping ? undefined : continued(previous);
        });
    }
  }

  /** Resolves when the resource has changed, or after this many seconds. */
  async #waitFor(
    { request, session }: Call,
    resource: Resource,
    version: LedgerVersion,
    seconds: number,
  ): Promise<void> {
    request.deadline.extend(seconds * 1_000);
    const timeout = AbortSignal.timeout(seconds * 1_000);
    const signal = AbortSignal.any([timeout, request.deadline.signal]);
    await this.#store.changed(session.account.id, resource, version, signal);
  }

  async #create(call: Call, resource: Resource): Promise<Outcome> {
    const { request, target, timing } = call;
    const query = readQuery(target.query, NO_PARAMETERS);
    if (query instanceof Problem) return query;
    const body = await readJsonBody(request);
    if (body instanceof Problem) return body;
    const plan = planCreate(resource, body.json, new Date().toISOString());
    if (plan instanceof Problem) return plan;
    timing.end('plan');
    const created = await this.#store.records.create(callerOf(call), plan);
    timing.end('store');
    if (created === 'no access') return created;
    if (created === 'ids exhausted')
      return new Problem('ids_exhausted', `The ${resource.plural} of this account have no identifiers left.`);
    return createdReply(resource, created);
  }

  /** The state of a resource at its current version. */
  async #currentState(session: Session, resource: Resource): Promise<ResourceState | NoAccess> {
    const version = await this.#store.version(session.account.id);
    const ledger = version?.ledger.get(resource.name);
    if (version?.access !== session.access || ledger === undefined) return 'no access';
    return this.#store.state(session.account.id, resource, ledger);
  }

  /** The current state; if the client has it already, and wants to wait, the state after the next change. */
  async #stateAfter(call: Call, resource: Resource, wait: number): Promise<ResourceState | NoAccess> {
    const state = await this.#currentState(call.session, resource);
    const tag = call.request.headers['if-none-match'] ?? '';
    if (wait === 0 || state === 'no access' || !tagMatches(tag, entityTag(call.session.account, state.version)))
      return state;
    await this.#waitFor(call, resource, state.version, wait);
    return this.#currentState(call.session, resource);
  }

  #cached(response: CachedResponse, { request, timing }: Call): Reply {
    timing.setTotalSource('response cache');
    return unlessMatched(response, request.headers['if-none-match']);
  }
}

function callerOf({ session: { account, access }, request: { deadline } }: Call): Caller {
  return { account: account.id, access, deadline };
}
