/**
 * The application: the path of a request, stage by stage. `http/` brings requests here and sends what comes back.
 *
 *     access    host and key to a session: which account, and what may be done there
 *     request   path, query string and body to route and parameters, syntax only
 *     plan      names resolved against the catalog, values typed, limits applied
 *     store     one statement, one snapshot
 *     reply     what was found to bytes and headers
 *
 * A stage returns its result or a problem, and the first problem is the reply. Before the first stage, an overloaded service refuses
 * requests of those who send most.
 *
 * A session is taken from memory if possible, and every store call carries the access version it was granted under. If that
 * is no longer current, the request is authenticated and handled once more, so nothing derived from an outdated session is
 * ever sent.
 */

import { setImmediate } from 'node:timers/promises';
import { keyNotAccepted, requireScope, type Session } from './access/authenticate.ts';
import { CountedRequest } from './access/counted-request.ts';
import type { CrossOrigin } from './access/cross-origin.ts';
import type { KeyUse } from './access/key-use.ts';
import type { RateLimiter } from './access/rate-limiter.ts';
import type { Sessions } from './access/sessions.ts';
import { catalog } from './catalog/catalog.ts';
import { Computations } from './computations.ts';
import { ExportSlots } from './export-slots.ts';
import { aggregate } from './handlers/aggregate.ts';
import { changes } from './handlers/changes.ts';
import { create } from './handlers/create.ts';
import { digest } from './handlers/digest.ts';
import { type Call, hasAccess, type Outcome, type Service } from './handlers/handler.ts';
import { list } from './handlers/list.ts';
import { mcp } from './handlers/mcp.ts';
import { me } from './handlers/me.ts';
import { record } from './handlers/record.ts';
import { signIn } from './handlers/sign-in.ts';
import type { UnsentBytes } from './http/unsent-bytes.ts';
import { McpExchange } from './mcp/exchange.ts';
import { Damage } from './observe/damage.ts';
import type { Emit } from './observe/events.ts';
import { Observed } from './observe/observed.ts';
import type { Outage } from './observe/outage.ts';
import { Timing } from './observe/timing.ts';
import { Pages } from './pages/pages.ts';
import { Problem } from './problem/problem.ts';
import type { Aggregation } from './reply/aggregation.ts';
import { contentCoded } from './reply/content-coding.ts';
import type { Hashing } from './reply/hashing.ts';
import {
  internalError,
  limitProblem,
  problemReply,
  serviceOverloaded,
  storeProblem,
  withOtherParameters,
} from './reply/problem.ts';
import { optionsReply, type Reply } from './reply/reply.ts';
import type { ResponseCache } from './reply/response-cache.ts';
import { readQueryBody } from './request/body.ts';
import { checkSingleHeaders } from './request/headers.ts';
import { LONG_INPUT } from './request/long-input.ts';
import type { Request } from './request/request.ts';
import { requiredScopes } from './request/required-scopes.ts';
import {
  type ApiEndpoint,
  findApiRoute,
  findMcpRoute,
  findPublicRoute,
  type OptionsRoute,
  type Route,
} from './request/route.ts';
import { checkRequestLine, isApiPath, isMcpPath, readTarget, type Target } from './request/target.ts';
import type { Admission } from './schedule/admission.ts';
import { FairQueue, type QueueNumbers } from './schedule/fair-queue.ts';
import type { Store } from './store/store.ts';
import { DamagedLedger, isUnreachable, StoreUnavailable, UnusableDatabase } from './store/store-error.ts';

export interface Response {
  readonly reply: Reply;
  /** Undefined if the request was not authenticated. */
  readonly session?: Session | undefined;
  /** What the headers say about the key: its limits, and that it expires soon. */
  readonly keyHeaders?: Reply['headers'] | undefined;
  /** Undefined outside of the API, and if it is not to be sent. */
  readonly timing?: Timing | undefined;
  /** Undefined outside of the API. */
  readonly observed?: Observed;
}

export interface AppParts {
  readonly store: Store;
  readonly sessions: Sessions;
  readonly crossOrigin: CrossOrigin;
  readonly keyUse: KeyUse;
  readonly admission: Admission;
  readonly limiter: RateLimiter;
  readonly unsent: UnsentBytes;
  readonly responses: ResponseCache;
  readonly hashing: Hashing;
  readonly aggregation: Aggregation;
  readonly outage: Outage;
  readonly emit: Emit;
  /** Whether responses have the header `Server-Timing`. */
  readonly serverTiming: boolean;
}

export interface AppNumbers {
  readonly queues: { readonly long_queries: QueueNumbers; readonly computations: QueueNumbers };
  /** Those that are being sent. */
  readonly exports: number;
}

/** The most requests of one account that wait for such a turn. */
const MAX_LONG_QUERIES = 100;

export class App {
  readonly #store: Store;
  readonly #sessions: Sessions;
  readonly #crossOrigin: CrossOrigin;
  readonly #keyUse: KeyUse;
  readonly #admission: Admission;
  readonly #limiter: RateLimiter;
  readonly #unsent: UnsentBytes;
  readonly #outage: Outage;
  readonly #damage: Damage;
  readonly #emit: Emit;
  readonly #serverTiming: boolean;
  readonly #service: Service;
  readonly #pages = new Pages();
  readonly #longQueries = new FairQueue({ slots: 1, maxRunning: 1, maxQueued: MAX_LONG_QUERIES });
  #isStopping = false;

  constructor(parts: AppParts) {
    const { store, sessions, hashing, aggregation, emit } = parts;
    this.#store = store;
    this.#sessions = sessions;
    this.#crossOrigin = parts.crossOrigin;
    this.#keyUse = parts.keyUse;
    this.#admission = parts.admission;
    this.#limiter = parts.limiter;
    this.#unsent = parts.unsent;
    this.#outage = parts.outage;
    this.#damage = new Damage(emit);
    this.#emit = emit;
    this.#service = {
      store,
      responses: parts.responses,
      emit,
      hashing,
      aggregation,
      grant: (request) => sessions.grant(request),
      holds: (session) => sessions.holds(session),
      allowsOrigin: (origin) => parts.crossOrigin.allows(origin),
      computations: new Computations(),
      exports: new ExportSlots(),
      rateLimitsOf: (session) => parts.limiter.limitsOf(session),
      isStopping: () => this.#isStopping,
    };
    this.#serverTiming = parts.serverTiming;
  }

  numbers(): AppNumbers {
    const { computations, exports } = this.#service;
    return {
      queues: { long_queries: this.#longQueries.numbers, computations: computations.numbers },
      exports: exports.used,
    };
  }

  /** Ends what waits for changes. */
  stopWaiting(): void {
    this.#isStopping = true;
    this.#store.stopWaiting();
  }

  /** Never rejects: whatever goes wrong becomes a problem. */
  async respond(request: Request): Promise<Response> {
    const preflight = this.#crossOrigin.preflight(request);
    if (preflight !== undefined) return { reply: { status: 204, headers: preflight } };
    if (!this.#admission.admits(this.#sessions.callerOf(request)))
      return { reply: await this.#reply(request, async () => serviceOverloaded()) };
    const target = readTarget(request.target);
    const exchange = isMcpPath(target) ? new McpExchange(request) : undefined;
    if (exchange === undefined && !isApiPath(target))
      return { reply: await this.#reply(request, () => this.#public(request, target)) };
    const timing = new Timing();
    const observed = new Observed();
    const counted = new CountedRequest(this.#limiter);
    let session: Session | undefined;
    const handle = () =>
      this.#withSession(request, timing, (granted) => {
        session = granted;
        const turn = () => this.#turnFor(granted, request);
        const call = { request, target, session: granted, timing, observed, service: this.#service, turn };
        return this.#withinLimits(counted, granted, () =>
          (exchange === undefined ? this.#api(call) : this.#mcp(call, exchange)).catch(limitProblem),
        );
      });
    const reply = await this.#reply(request, handle, exchange, () => session);
    return {
      reply,
      session,
      keyHeaders: this.#keyHeaders(reply, session, counted),
      timing: this.#serverTiming ? timing : undefined,
      observed,
    };
  }

  /** A key that is not accepted learns nothing about itself. */
  #keyHeaders({ status }: Reply, session: Session | undefined, counted: CountedRequest): Reply['headers'] | undefined {
    return session === undefined || status === 401
      ? undefined
      : { ...counted.headers, ...this.#sessions.expiryNotice(session) };
  }

  async #reply(
    request: Request,
    body: () => Promise<Reply | Problem>,
    exchange?: McpExchange,
    session?: () => Session | undefined,
  ): Promise<Reply> {
    const outcome =
      checkSingleHeaders(request.rawHeaders) ??
      (await body().catch((error: unknown) => this.#failure(request, error, session?.())));
    const reply =
      outcome instanceof Problem ? await (exchange?.problemReply(outcome) ?? problemReply(outcome, request)) : outcome;
    return this.#crossOrigin.withAccess(request, contentCoded(reply, request.headers['accept-encoding']));
  }

  /** The cause goes to the log, never to the client. */
  async #failure({ id: requestId }: Request, thrown: unknown, session: Session | undefined): Promise<Problem> {
    const error = await this.#causeOf(thrown, session);
    if (error instanceof DamagedLedger && session !== undefined) this.#damage.add(session.account.name, error);
    if (error instanceof StoreUnavailable || error instanceof UnusableDatabase) {
      this.#outage.add(error);
      return storeProblem(
        error instanceof StoreUnavailable ? error : new StoreUnavailable('unreachable', error.message),
      );
    }
    this.#emit({ kind: 'request failed', requestId, error });
    return internalError();
  }

  /** If a ledger cannot be read, statements fail in many ways. */
  async #causeOf(error: unknown, session: Session | undefined): Promise<unknown> {
    const isKnown = error instanceof StoreUnavailable || error instanceof UnusableDatabase;
    if (isKnown || session === undefined) return error;
    try {
      await this.#store.version(session.account.id);
    } catch (cause) {
      if (cause instanceof DamagedLedger) return cause;
    }
    return error;
  }

  async #public(request: Request, target: Target): Promise<Reply | Problem> {
    const reply = await this.#page(request, target);
    return reply instanceof Problem ? this.#pages.failed(request, target, reply) : reply;
  }

  async #page(request: Request, target: Target): Promise<Reply | Problem> {
    const route = findPublicRoute(request.method, target);
    if (route instanceof Problem) return route;
    switch (route.kind) {
      case 'options':
        return optionsReply(route.allow);
      case 'openapi':
        return this.#pages.openApi(request);
      case 'reference':
        return this.#pages.reference(request);
      case 'scalar':
        return this.#pages.scalar(request);
      case 'asset':
        return this.#pages.asset(request, target);
      case 'document':
        return this.#pages.document(request, target);
      case 'search':
        return this.#pages.search(request, target);
      case 'console':
        return this.#pages.console(request);
      case 'console asset':
        return this.#pages.consoleAsset(request, route.parameter);
      case 'problem list':
      case 'problem page':
        return this.#pages.problem(request, target);
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
    if (cached !== undefined) {
      let outcome: Outcome;
      try {
        outcome = await handle(cached);
      } catch (error) {
        return this.#failed(request, error);
      }
      if (outcome !== 'no access') {
        const isVerified = !(outcome instanceof Problem);
        if (isVerified || (await hasAccess({ session: cached, service: this.#service })))
          return this.#used(cached, outcome);
      }
    }
    const session = await this.#sessions.grant(request);
    timing.end('access');
    if (session instanceof Problem) return session;
    const outcome = await handle(session);
    if (outcome !== 'no access') return this.#used(session, outcome);
    const { account, access } = session;
    const version = await this.#store.version(account.id);
    if (version?.access === access && catalog.some(({ name }) => !version.ledger.has(name)))
      throw new DamagedLedger(account.id);
    return keyNotAccepted();
  }

  /** With `QUERY`, parameters are in the body, in addition to those in the URL. */
  async #withBodyQuery(call: Call): Promise<Call | Problem> {
    const { target } = call;
    const query = await readQueryBody(call.request);
    if (query instanceof Problem) return query;
    return { ...call, target: { ...target, query: target.query === '' ? query : `${target.query}&${query}` } };
  }

  #turnFor({ account }: Session, { deadline }: Request): Promise<void> {
    return this.#longQueries.run({ account: account.id, cost: 1, deadline }, () => setImmediate());
  }

  /** Creates no promise unless the limits are decided elsewhere. */
  #withinLimits(counted: CountedRequest, session: Session, handle: () => Promise<Outcome>): Promise<Outcome> {
    const proceed = (limited: Problem | undefined) => limited ?? this.#unsent.check(session.account.id) ?? handle();
    const limited = counted.count(session);
    return limited instanceof Promise ? limited.then(proceed) : Promise.resolve(proceed(limited));
  }

  /**
   * Only a caller who has access learns about an error. The request is not handled again: it may be a create that was
   * stored although its connection was lost.
   */
  async #failed(request: Request, error: unknown): Promise<Problem> {
    const session = isUnreachable(error) ? undefined : await this.#sessions.grant(request);
    if (session instanceof Problem) return session;
    throw error;
  }

  #used({ keyId }: Session, outcome: Reply | Problem): Reply | Problem {
    this.#keyUse.record(keyId);
    return outcome;
  }

  /** A tool call is a request of the API, and goes the same way. */
  async #mcp(call: Call, exchange: McpExchange): Promise<Outcome> {
    const route = findMcpRoute(call.request.method, call.target);
    if (route instanceof Problem) return route;
    if (route.kind === 'options') return this.#options(call, route);
    return mcp(call, exchange, (request) => this.#api({ ...call, request, target: readTarget(request.target) }));
  }

  async #options(call: Call, { allow }: OptionsRoute): Promise<Outcome> {
    return (await hasAccess(call)) ? optionsReply(allow) : 'no access';
  }

  async #api(received: Call): Promise<Outcome> {
    const { request, session } = received;
    const route = findApiRoute(request.method, received.target);
    if (route instanceof Problem) return route;
    if (route.kind === 'options') return this.#options(received, route);
    const problem =
      requireScope(session, requiredScopes(route)) ??
      checkRequestLine(request.method, request.target, request.httpVersion);
    if (problem !== undefined) return problem;
    const call = request.method === 'QUERY' ? await this.#withBodyQuery(received) : received;
    if (call instanceof Problem) return call;
    if ('resource' in route) call.observed.query = { resource: route.resource, text: call.target.query };
    if (call.target.query.length > LONG_INPUT) await call.turn();
    const outcome = await handle(call, route);
    const isInBody = request.method === 'QUERY' && outcome instanceof Problem;
    return isInBody ? withOtherParameters(outcome, call.target.query) : outcome;
  }
}

function handle(call: Call, route: Route<ApiEndpoint>): Promise<Outcome> {
  switch (route.kind) {
    case 'list':
      return list(call, route.resource);
    case 'record':
      return record(call, route.resource, route.parameter);
    case 'changes':
      return changes(call, route.resource);
    case 'digest':
      return digest(call, route.resource);
    case 'aggregate':
      return aggregate(call, route.resource);
    case 'create':
      return create(call, route.resource);
    case 'me':
      return me(call);
    case 'sign in':
      return signIn(call);
  }
}
