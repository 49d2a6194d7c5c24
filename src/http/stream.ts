/** Sends bodies chunk by chunk, as fast as the client reads them. */

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import type { StreamedBody } from '../reply/reply.ts';

/** A client that reads nothing for this long is disconnected, in milliseconds: it holds a snapshot of the database open. */
const STALL_TIMEOUT = 120_000;

export function streamHeaders({ trailers }: StreamedBody): OutgoingHttpHeaders {
  return { 'transfer-encoding': 'chunked', trailer: Object.keys(trailers).join(', ') };
}

/** The headers have been written. An error breaks the connection, so that a part never looks like the whole. */
export function sendStream(response: ServerResponse, body: StreamedBody): void {
  if (response.destroyed || response.req.method === 'HEAD') {
    body.close().catch(() => undefined);
    response.end();
    return;
  }
  response.setTimeout(STALL_TIMEOUT, () => response.destroy());
  // Errors were reported where they occurred, and a client that disconnects is not an error.
  pipeline(toReadable(body, response), response, () => undefined);
}

function toReadable({ next, close, trailers }: StreamedBody, response: ServerResponse): Readable {
  return new Readable({
    read() {
      next().then(
        (chunk) => {
          if (chunk === undefined) response.addTrailers(trailers);
          this.push(chunk ?? null);
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
