/** Responds where Node has no response object, by writing to the socket, and closes the connection. */

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { RawResponse } from '../observe/completed-request.ts';
import type { Problem } from '../problem/problem.ts';
import { problemReply } from '../reply/problem.ts';
import { requestId } from '../request/request-id.ts';
import { readTarget } from '../request/target.ts';
import type { Clock } from '../schedule/clock.ts';
import { closeLingering } from './linger.ts';

export function respondRaw(socket: Socket, problem: Problem, clock: Clock): RawResponse {
  const id = requestId(undefined);
  const { status, headers, body } = problemReply(problem, { id, method: '', target: readTarget('') });
  const lines = Object.entries({
    ...headers,
    'x-request-id': id,
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
  closeLingering(socket, clock);
  return { requestId: id, status, problem: problem.code, bytes: Buffer.byteLength(body) };
}
