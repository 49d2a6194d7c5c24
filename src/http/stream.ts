/** Bodies that are sent piece by piece, as fast as the client takes them. */

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { StreamedBody } from '../reply/reply.ts';

/** A client that takes nothing for so long is cut off, in milliseconds: it holds a snapshot of the database open. */
const STALL_TIMEOUT = 120_000;

/** What fails on the way breaks the connection, so that no part looks like the whole. */
export function sendStream(
  response: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
  body: StreamedBody,
): void {
  // Without a length, which would have to be that of the whole stream.
  const chunked = { ...headers, 'transfer-encoding': 'chunked' };
  const isGone = response.destroyed;
  if (isGone || response.req.method === 'HEAD') {
    body.close().catch(() => undefined);
    if (!isGone) response.writeHead(status, chunked).end();
    return;
  }
  response.setTimeout(STALL_TIMEOUT, () => response.destroy());
  response.writeHead(status, { ...chunked, trailer: Object.keys(body.trailers).join(', ') });
  // A failure was told of where it happened, and a client that goes away is none.
  pipeline(readable(body, response), response, () => undefined);
}

function readable({ next, close, trailers }: StreamedBody, response: ServerResponse): Readable {
  return new Readable({
    read() {
      next().then(
        (piece) => {
          if (piece === undefined) response.addTrailers(trailers);
          this.push(piece ?? null);
        },
        (error: Error) => this.destroy(error),
      );
    },
    destroy(error, callback) {
      const end = () => callback(error);
      close().then(end, end);
    },
  });
}
