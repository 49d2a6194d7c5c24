/** A problem in the format of RFC 9457. */

import { PROBLEMS_PATH } from '../problem/page.ts';
import { Problem } from '../problem/problem.ts';
import { type ProblemCode, registry } from '../problem/registry.ts';
import { PARAMETER_NAMES } from '../request/parameters.ts';
import { printQuery, readQuery } from '../request/query-string.ts';
import type { Request } from '../request/request.ts';
import type { Target } from '../request/target.ts';
import { Cancelled } from '../schedule/deadline.ts';
import { Overloaded } from '../schedule/fair-queue.ts';
import { AccountOverloaded } from '../schedule/standing-queue.ts';
import { PageTooLarge, StoreUnavailable, TooManyWaiters } from '../store/store-error.ts';
import type { TextReply } from './reply.ts';

export function problemReply(
  { code, detail, context }: Problem,
  { id, method, target }: Pick<Request, 'id' | 'method' | 'target'>,
): TextReply {
  const { status, title, hint } = registry[code];
  const { parameter, position, suggestion = hint, fixed, isWhole = false, members, headers } = context;
  const body = {
    type: `${PROBLEMS_PATH}/${code}`,
    title,
    status,
    detail,
    code,
    parameter,
    position,
    suggestion:
      fixed === undefined
        ? suggestion
        : `${suggestion} Try ${method === 'QUERY' ? printQuery(fixed) : fixedTarget(target, fixed, isWhole)}`,
    ...members,
    requestId: id,
  };
  return {
    status,
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store', ...headers },
    body: JSON.stringify(body),
    problem: code,
  };
}

/** The problem of a request whose parameters are in its body: what fixes it includes those that are right. */
export function withOtherParameters(problem: Problem, query: string): Problem {
  const { code, detail, context } = problem;
  const parsed = readQuery(query, PARAMETER_NAMES);
  if (context.fixed === undefined || context.isWhole || parsed instanceof Problem) return problem;
  return new Problem(code, detail, { ...context, fixed: { ...parsed.values, ...context.fixed } });
}

/** The request with some parameters replaced, or with no others. */
function fixedTarget(
  { path, query }: Target,
  fixed: Readonly<Record<string, string | undefined>>,
  isWhole: boolean,
): string {
  if (isWhole) return `${path}?${printQuery(fixed)}`;
  const parsed = readQuery(query, PARAMETER_NAMES);
  const values = parsed instanceof Problem ? fixed : { ...parsed.values, ...fixed };
  return `${path}?${printQuery(values)}`;
}

/** Seconds after which it is worthwhile to wait again. */
const RETRY_AFTER = 10;

function storeProblem({ reason, retryAfter }: StoreUnavailable): Problem {
  const [code, detail] = UNAVAILABLE[reason];
  return new Problem(code, detail, { headers: { 'retry-after': String(retryAfter) } });
}

const UNAVAILABLE = {
  busy: ['store_busy', 'Timed out waiting for another write.'],
  'too slow': ['query_timeout', 'The query took too long.'],
  unreachable: ['store_unreachable', 'The database cannot be reached.'],
  'partly unreachable': ['store_unreachable', 'A part of the database that the request needs cannot be reached.'],
  'not writable': ['store_not_writable', 'The database cannot be written at the moment.'],
  exhausted: ['store_exhausted', 'The database has no disk space, memory or connections left.'],
  'no temporary space': [
    'store_exhausted',
    'The service has no disk space left for temporary files, which this request needs.',
  ],
  damaged: ['store_damaged', 'What the database has about this account is damaged.'],
} as const satisfies Record<StoreUnavailable['reason'], readonly [ProblemCode, string]>;

/** The problem of a request that exceeds a limit. Other errors are thrown again. */
export function limitProblem(error: unknown): Problem {
  if (error instanceof Overloaded)
    return new Problem('too_many_slow_requests', 'This account has too many slow requests in progress.', {
      headers: { 'retry-after': String(error.retryAfter) },
    });
  if (error instanceof AccountOverloaded)
    return serviceOverloaded('More requests of this account arrive than the service can handle.');
  if (error instanceof TooManyWaiters)
    return new Problem('too_many_waiting', `${error.max} requests of this account are waiting for changes.`, {
      headers: { 'retry-after': String(RETRY_AFTER) },
    });
  if (error instanceof Cancelled) return storeProblem(new StoreUnavailable('too slow', error.message));
  if (error instanceof PageTooLarge) {
    const detail = `The records of this page have more than ${error.maxBytes / 1024 / 1024} MiB.`;
    return new Problem('page_too_large', detail, { parameter: 'limit' });
  }
  throw error;
}

/** In seconds. Overload ends when clients wait, or at the next of their pauses. */
const OVERLOAD_RETRY_AFTER = 1;

export function serviceOverloaded(detail = 'More requests arrive than the service can handle.'): Problem {
  return new Problem('service_overloaded', detail, {
    headers: { 'retry-after': String(OVERLOAD_RETRY_AFTER) },
  });
}

/** Of a request that failed: why the store is unavailable, or else a bug. */
export function failureProblem(unavailable: StoreUnavailable | undefined): Problem {
  return unavailable === undefined ? internalError() : storeProblem(unavailable);
}

function internalError(): Problem {
  return new Problem('internal_error', 'Something went wrong inside the service.');
}
