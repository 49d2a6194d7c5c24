/** What was thrown while a request was served, as a problem that the caller may see. The cause goes to the log alone. */

import type { FastifyRequest } from 'fastify';
import type { Emit } from '../events.ts';
import { Problem } from '../problem/problem.ts';
import { MAX_BODY_BYTES } from '../request/body.ts';
import { StoreUnavailable } from '../store/store-error.ts';

export function problemOf(error: unknown, { id, headers }: FastifyRequest, emit: Emit): Problem {
  if (error instanceof StoreUnavailable) {
    emit({ kind: 'store unavailable', requestId: id, error });
    return new Problem('store_busy', 'The database is busy.', { headers: { 'retry-after': String(error.retryAfter) } });
  }
  switch (codeOf(error)) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('body_too_large', `The body has more than ${MAX_BODY_BYTES} bytes.`);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported_media_type', mediaTypeDetail(headers['content-type']));
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem('malformed_request', 'The body is not as long as its Content-Length says.');
    default:
      emit({ kind: 'fault', requestId: id, error });
      return new Problem('internal_error', 'Something went wrong inside the service.');
  }
}

function mediaTypeDetail(contentType: string | undefined): string {
  return contentType === undefined ? 'The body has no Content-Type.' : `The body is of the type ${contentType}.`;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
