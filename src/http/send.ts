/** Sends replies. */

import type { ServerResponse } from 'node:http';
import type { Timing } from '../observe/timing.ts';
import type { Reply } from '../reply/reply.ts';
import { sendStream, streamHeaders } from './stream.ts';

export function send(
  response: ServerResponse,
  { status, headers, body }: Reply,
  { requestId, timing }: { readonly requestId: string; readonly timing: Timing | undefined },
): void {
  const isStream = typeof body === 'object';
  response.writeHead(status, {
    ...headers,
    ...(isStream ? streamHeaders(body) : body !== undefined && { 'content-length': Buffer.byteLength(body) }),
    ...(timing !== undefined && { 'server-timing': timing.print() }),
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
  });
  if (isStream) sendStream(response, body);
  // Node omits the body in the response to HEAD.
  else response.end(body);
}
