/** Bodies that are sent piece by piece, as fast as the client takes them. */

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { StreamedBody } from '../reply/reply.ts';

/** A client that takes nothing for so long is cut off, in milliseconds: it holds a snapshot of the database open. */
const STALL_TIMEOUT = 120_000;

/** Without a length, which would have to be that of the whole stream. */
export function streamHeaders({ trailers }: StreamedBody): OutgoingHttpHeaders {
  return { 'transfer-encoding': 'chunked', trailer: Object.keys(trailers).join(', ') };
}

/** The headers are written already. What fails on the way breaks the connection, so that no part looks like the whole. */
export function sendStream(response: ServerResponse, body: StreamedBody): void {
  if (response.destroyed || response.req.method === 'HEAD') {
    body.close().catch(() => undefined);
    response.end();
    return;
  }
  response.setTimeout(STALL_TIMEOUT, () => response.destroy());
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
