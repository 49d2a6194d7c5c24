/** What is wrong with bytes that Node cannot parse as a request, or that do not arrive. */

import { Problem } from '../problem/problem.ts';
import { MAX_HEAD_BYTES } from '../request/target.ts';

/** The maximum number of headers of a request. */
export const MAX_HEADERS = 1_000;

/** `code` is the code of the error that Node's parser reports. */
export function malformedProblem(code: string | undefined): Problem {
  switch (code) {
    // Node reports both limits with the same code.
    case 'HPE_HEADER_OVERFLOW':
      return new Problem(
        'headers_too_large',
        `The request has more than ${MAX_HEADERS} headers, or its request line and headers have more than ${MAX_HEAD_BYTES} bytes.`,
        CLOSE,
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTimeout();
    // The client closed the connection. The list of imports says so to others.
    case 'HPE_INVALID_EOF_STATE':
      return new Problem('malformed_request', 'The request ended before all of it had arrived.', CLOSE);
    case 'HPE_INVALID_METHOD':
      return new Problem('malformed_request', 'This is not an HTTP method.', CLOSE);
    default:
      return new Problem('malformed_request', 'This is not a valid HTTP/1.1 request.', CLOSE);
  }
}

export function requestTimeout(): Problem {
  return new Problem('request_timeout', 'The request did not arrive completely in time.', CLOSE);
}

/** Where the next request would start is unknown. */
const CLOSE = { headers: { connection: 'close' } };
