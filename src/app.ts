/**
 * The application: the path of a request, stage by stage. `http/` brings requests here and sends what comes back.
 *
 *     admission  preflights are answered, and an overloaded service refuses those who send most
 *     pages      what is public: the console, the guides, the reference
 *     access     host and key, or the cookie of the console, to a session: which account, and what may be done there
 *     limits     how many requests the key and the account may send, and how much the account may leave unread
 *     handlers   route, plan, store, reply
 *     finish     problems become replies, and every reply gets its headers
 *
 * A stage returns its result or a problem, and the first problem is the reply.
 *
 * A session is taken from memory if possible, and every store call carries the access version it was granted under. If that
 * is no longer current, the request is authenticated and handled once more.
 */

import { hasCredentials, type Session } from './access/authenticate.ts';
import { checkBasic, withBasicChallenge } from './access/basic.ts';
import type { KeyUse } from './access/key-use.ts';
import { withSessionKey } from './access/session-cookie.ts';
import { underSession } from './access/under-session.ts';
import { api } from './handlers/api.ts';
import { description } from './handlers/description.ts';
import type { Call, Outcome } from './handlers/handler.ts';
import { mcp } from './handlers/mcp.ts';
import { Service, type ServiceParts } from './handlers/service.ts';
import type { Admission } from './limits/admission.ts';
import { CountedRequest } from './limits/counted-request.ts';
import type { UnsentBytes } from './limits/unsent-bytes.ts';
import { McpExchange } from './mcp/exchange.ts';
import { Failures } from './observe/failures.ts';
import { Observed } from './observe/observed.ts';
import type { Outage } from './observe/outage.ts';
import { Timing } from './observe/timing.ts';
import { Pages } from './pages/pages.ts';
import { Problem } from './problem/problem.ts';
import { contentCoded } from './reply/content-coding.ts';
import { withOrigin } from './reply/links.ts';
import { failureProblem, limitProblem, problemReply, serviceOverloaded } from './reply/problem.ts';
import type { Reply } from './reply/reply.ts';
import { checkHeaders } from './request/headers.ts';
import type { Request } from './request/request.ts';
import { isApiPath, isDescriptionPath, isMcpPath } from './request/target.ts';

export interface Response {
  readonly reply: Reply;
  /** What the headers say about the key: its limits, and that it expires soon. */
  readonly keyHeaders?: Reply['headers'] | undefined;
  /** Undefined outside of the API, and if it is not to be sent. */
  readonly timing?: Timing | undefined;
  /** Undefined outside of the API. */
  readonly observed?: Observed;
}

export interface AppParts extends ServiceParts {
  readonly keyUse: KeyUse;
  readonly admission: Admission;
  readonly unsent: UnsentBytes;
  readonly outage: Outage;
  /** Whether responses have the header `Server-Timing`. */
  readonly serverTiming: boolean;
}

export class App {
  readonly service: Service;
  readonly #parts: AppParts;
  readonly #failures: Failures;
  readonly #pages: Pages;

  constructor(parts: AppParts) {
    this.#parts = parts;
    this.service = new Service(parts);
    this.#pages = new Pages(this.service.descriptions);
    this.#failures = new Failures(parts.store, parts.outage, parts.emit, parts.clock);
  }

  /** Never rejects: whatever goes wrong becomes a problem. */
  async respond(received: Request): Promise<Response> {
    const { crossOrigin, admission, sessions } = this.#parts;
    const preflight = crossOrigin.preflight(received);
    if (preflight !== undefined) return { reply: { status: 204, headers: preflight } };
    const request = withSessionKey(received);
    const isAdmitted = admission.admits(sessions.callerOf(request));
    const refusal = isAdmitted ? (checkHeaders(request) ?? checkBasic(request)) : serviceOverloaded();
    if (refusal !== undefined) return { reply: await this.#finish(request, refusal) };
    const { target } = request;
    if (isApiPath(target) || isMcpPath(target) || isDescribed(request)) return this.#respondToKey(request);
    const page = await this.#pages.respond(request).catch((error: unknown) => this.#failed(request, error));
    return { reply: await this.#finish(request, page) };
  }

  async #respondToKey(request: Request): Promise<Response> {
    const { service } = this;
    const { limiter, unsent, serverTiming } = this.#parts;
    const exchange = isMcpPath(request.target) ? new McpExchange(request) : undefined;
    const timing = new Timing();
    const observed = new Observed();
    const counted = new CountedRequest(limiter);
    const handle = async (session: Session): Promise<Outcome> => {
      observed.session = session;
      const limited = (await counted.count(session)) ?? unsent.check(session.account.id);
      if (limited !== undefined) return limited;
      const turn = () => service.longInput.turn(session.account.id, request.deadline);
      const call = { request, session, timing, observed, service, turn };
      return (exchange === undefined ? handled(call) : mcp(call, exchange)).catch(limitProblem);
    };
    const outcome = await underSession(service, request, timing, handle).catch((error: unknown) =>
      this.#failed(request, error, observed.session),
    );
    const reply = await this.#finish(request, outcome, exchange);
    const keyHeaders = this.#keyHeaders(reply, counted, observed.session);
    return { reply, keyHeaders, timing: serverTiming ? timing : undefined, observed };
  }

  async #failed({ id }: Request, error: unknown, session?: Session): Promise<Problem> {
    return failureProblem(await this.#failures.report(error, id, session));
  }

  /** A key that is not accepted learns nothing about itself. */
  #keyHeaders({ status }: Reply, counted: CountedRequest, session?: Session): Response['keyHeaders'] {
    if (session === undefined || status === 401) return undefined;
    const { keyUse, sessions } = this.#parts;
    keyUse.record(session.keyId);
    return { ...counted.headers, ...sessions.expiryNotice(session) };
  }

  async #finish(request: Request, outcome: Reply | Problem, exchange?: McpExchange): Promise<Reply> {
    const reply =
      outcome instanceof Problem
        ? await (exchange?.problemReply(outcome) ?? problemReply(withBasicChallenge(outcome, request), request))
        : outcome;
    const linked = withOrigin(reply, () => this.#parts.sessions.originOf(request));
    return this.#parts.crossOrigin.withAccess(request, contentCoded(linked, request.headers['accept-encoding']));
  }
}

/** Everybody gets the description of the API; who has a key, with the fields of operators. */
function isDescribed(request: Request): boolean {
  return isDescriptionPath(request.target) && hasCredentials(request);
}

function handled(call: Call): Promise<Outcome> {
  return isDescriptionPath(call.request.target) ? description(call) : api(call);
}
