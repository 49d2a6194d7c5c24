/** A request as the application gets it, without a connection. */

import { Readable } from 'node:stream';
import type { Request } from '../../src/request/request.ts';
import { readTarget } from '../../src/request/target.ts';
import { NO_DEADLINE } from '../../src/schedule/deadline.ts';

export function requestWith(parts: Partial<Request>): Request {
  return {
    id: 'x',
    address: '',
    deadline: NO_DEADLINE,
    method: 'GET',
    target: readTarget('/'),
    httpVersion: '1.1',
    headers: {},
    rawHeaders: [],
    body: async () => new Uint8Array(),
    stream: () => Readable.from([]),
    isStreamed: () => false,
    ...parts,
  };
}
