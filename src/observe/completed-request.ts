/** A request whose response is complete, or whose client has left: the event, made from what is known then. */

import type { Filter } from '../filter/ast.ts';
import type { ProblemCode } from '../problem/registry.ts';
import type { Request } from '../request/request.ts';
import { routeName } from '../request/route.ts';
import type { RequestCompleted } from './events.ts';
import { loggedFilter } from './logged-filter.ts';
import type { Observed, ResourceQuery } from './observed.ts';

/** What became known about a request while it was handled. */
export interface HandledRequest {
  /** Undefined outside of the API. */
  readonly observed?: Observed;
}

/** What was sent. */
export interface Sent {
  readonly status: number;
  readonly problem: ProblemCode | undefined;
  /** Of the body. */
  readonly bytes: number;
  readonly rows: number | undefined;
}

/** The client left before there was a response. The status is the one that proxies log then. */
export const NOTHING_SENT: Sent = { status: 499, problem: undefined, bytes: 0, rows: undefined };

/** What was sent in response to a request that could not be read. */
export type RawResponse = Omit<Sent, 'rows'> & { readonly requestId: string };

/** A request that could not be read: of what it wanted, nothing is known. */
export class MalformedRequest implements RequestCompleted {
  readonly kind = 'request completed';
  readonly requestId: string;
  readonly method = '';
  readonly route = 'malformed';
  readonly status: number;
  readonly problem: ProblemCode | undefined;
  readonly milliseconds = 0;
  readonly latency = 0;
  readonly address: string;
  readonly bytes: number;
  readonly account = undefined;
  readonly key = undefined;
  readonly rows = undefined;
  readonly totalSource = undefined;
  readonly traceId = undefined;
  readonly parentId = undefined;
  readonly filter = undefined;
  readonly fullFilter = undefined;

  constructor(address: string, { requestId, status, problem, bytes }: RawResponse) {
    this.requestId = requestId;
    this.status = status;
    this.problem = problem;
    this.address = address;
    this.bytes = bytes;
  }
}

/** Monotonic. */
export interface RequestTimes {
  readonly started: number;
  /** When the response began. */
  readonly responded: number;
  /** When it was complete, or the client had left. */
  readonly closed: number;
}

export class CompletedRequest implements RequestCompleted {
  readonly kind = 'request completed';
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly problem: ProblemCode | undefined;
  readonly milliseconds: number;
  readonly address: string;
  readonly account: string | undefined;
  readonly key: string | undefined;
  readonly bytes: number;
  readonly rows: number | undefined;
  readonly totalSource: string | undefined;
  readonly traceId: string | undefined;
  readonly parentId: string | undefined;
  readonly latency: number;
  readonly #query: ResourceQuery | undefined;
  readonly #filter: Filter | undefined;
  readonly #loggedFilter: string | undefined;

  constructor(
    request: Request,
    { observed }: HandledRequest,
    sent: Sent,
    { started, responded, closed }: RequestTimes,
  ) {
    this.requestId = request.id;
    this.method = request.method;
    this.route = routeName(request.target);
    this.status = sent.status;
    this.problem = sent.problem;
    this.milliseconds = Math.round((closed - started) * 1_000) / 1_000;
    this.address = request.address;
    this.account = observed?.session?.account.name;
    this.key = observed?.session?.keyId;
    this.bytes = sent.bytes;
    this.rows = sent.rows;
    this.totalSource = observed?.totalSource;
    this.traceId = request.trace?.id;
    this.parentId = request.trace?.parentId;
    this.#query = observed?.query;
    this.#filter = observed?.filter;
    this.#loggedFilter = observed?.loggedFilter;
    this.latency = responded - started - (observed?.waited ?? 0);
  }

  get filter(): string | undefined {
    return this.#loggedFilter ?? (this.#query && loggedFilter(this.#query, this.#filter, false));
  }

  get fullFilter(): string | undefined {
    return this.#query && loggedFilter(this.#query, this.#filter, true);
  }
}
