/** Responds to bytes that Node cannot parse as a request. There is no request object, so the socket is written to directly. */

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../problem/problem.ts';
import { problemReply } from '../reply/problem.ts';
import { requestId } from '../request/request-id.ts';
import { MAX_HEAD_BYTES } from '../request/target.ts';
import type { Connections } from './connections.ts';

export function respondToMalformed(error: Error & { code?: string }, socket: Socket, connections: Connections): void {
  // After a reset nobody reads a response. And while an earlier request is being answered, ours would be taken for its
  // response.
  if (error.code === 'ECONNRESET' || !socket.writable || connections.isResponding(socket)) {
    socket.destroy();
    return;
  }
  const id = requestId(undefined);
  const { status, headers, body } = problemReply(problemFor(error.code), { id, target: '' });
  const lines = Object.entries({
    ...headers,
    'x-request-id': id,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  socket.write(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  );
  socket.end(body);
}

function problemFor(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new Problem(
        'headers_too_large',
        `The request line and the headers together have more than ${MAX_HEAD_BYTES} bytes.`,
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request_timeout', 'The request did not arrive completely in time.');
    case 'HPE_INVALID_METHOD':
      return new Problem('malformed_request', 'This is not an HTTP method.');
    default:
      return new Problem('malformed_request', 'This is not a valid HTTP/1.1 request.');
  }
}
