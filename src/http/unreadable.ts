/** Answers to bytes that are not a request Node could read: there is no request yet, so they are written to the socket. */

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../problem/problem.ts';
import { problemReply } from '../reply/problem.ts';
import { requestId } from '../request/request-id.ts';
import { MAX_HEAD_BYTES } from '../request/target.ts';
import type { Connections } from './connections.ts';

export function answerUnreadable(error: Error & { code?: string }, socket: Socket, connections: Connections): void {
  // After a reset there is nobody left to read an answer. And where an answer to an earlier request is still under way,
  // ours would be taken for it.
  if (error.code === 'ECONNRESET' || !socket.writable || connections.isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const id = requestId(undefined);
  const { status, headers, body } = problemReply(problemFor(error.code), { requestId: id, target: '' });
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
        `The request line and the header fields have more than ${MAX_HEAD_BYTES} bytes together.`,
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Problem('request_timeout', 'The request did not arrive whole in time.');
    case 'HPE_INVALID_METHOD':
      return new Problem('malformed_request', 'The method is none that HTTP knows.');
    default:
      return new Problem('malformed_request', 'These bytes are not an HTTP/1.1 request.');
  }
}
