/** What was thrown while a request was served, as a problem that the caller may see. The cause goes to the log alone. */

import type { FastifyRequest } from 'fastify';
import type { Emit } from '../events.ts';
import { Problem } from '../problem/problem.ts';
import type { ProblemCode } from '../problem/registry.ts';
import { MAX_BODY_BYTES } from '../request/body.ts';
import { StoreUnavailable, UnusableDatabase } from '../store/store-error.ts';
import { noSuchPath } from './send.ts';

export function problemOf(error: unknown, request: FastifyRequest, emit: Emit): Problem {
  const { id, headers } = request;
  if (error instanceof StoreUnavailable) {
    emit({ kind: 'store unavailable', requestId: id, error });
    return unavailable(error);
  }
  if (error instanceof UnusableDatabase) {
    emit({ kind: 'store unavailable', requestId: id, error });
    return unavailable(new StoreUnavailable('unreachable', error.message));
  }
  const code = codeOf(error);
  // Where there is nothing, it does not matter what the framework thinks of the body.
  if (request.is404 && code?.startsWith('FST_')) return noSuchPath(request);
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('body_too_large', `The body has more than ${MAX_BODY_BYTES} bytes.`, UNREAD);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported_media_type', mediaTypeDetail(headers['content-type']));
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem('malformed_request', 'The body is not as long as its Content-Length says.', UNREAD);
    case 'ECONNRESET':
      // The client went away in the middle of its body; nobody reads this.
      return new Problem('malformed_request', 'The body ended before its time.');
    default:
      emit({ kind: 'fault', requestId: id, error });
      return new Problem('internal_error', 'Something went wrong inside the service.');
  }
}

/** What is left of the body is not waited for. */
const UNREAD = { headers: { connection: 'close' } };

export function unavailable({ reason, retryAfter }: StoreUnavailable): Problem {
  const [code, detail] = UNAVAILABLE[reason];
  return new Problem(code, detail, { headers: { 'retry-after': String(retryAfter) } });
}

const UNAVAILABLE = {
  busy: ['store_busy', 'The database is busy with another write.'],
  'too slow': ['query_timeout', 'The database took too long to answer.'],
  unreachable: ['store_unreachable', 'The database cannot be reached.'],
  exhausted: ['store_exhausted', 'The database has no room left.'],
} as const satisfies Record<StoreUnavailable['reason'], readonly [ProblemCode, string]>;

function mediaTypeDetail(contentType: string | undefined): string {
  return contentType === undefined ? 'The body has no Content-Type.' : `The body is of the type ${contentType}.`;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined;
}
