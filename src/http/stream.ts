/** Sends large bodies chunk by chunk, as fast as the client reads them. */

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { Pieces } from '../pieces.ts';
import type { StreamedBody } from '../reply/reply.ts';

export function streamHeaders({ trailers }: StreamedBody): OutgoingHttpHeaders {
  const names = Object.keys(trailers());
  return { 'transfer-encoding': 'chunked', ...(names.length > 0 && { trailer: names.join(', ') }) };
}

/** The headers have been written. An error breaks the connection, so that a part never looks like the whole. */
export function sendStream(response: ServerResponse, body: StreamedBody): void {
  // Errors were reported where they occurred, and a client that disconnects is not an error.
  pipeline(toReadable(body, response), response, () => undefined);
}

/** A fast client takes a piece per turn of the event loop, so it delays others by one of them at most. */
export function sendPieces(response: ServerResponse, pieces: Pieces): void {
  pipeline(inTurns(pieces), response, () => undefined);
}

async function* inTurns(pieces: Pieces): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    yield piece;
    await setImmediate();
  }
}

function toReadable({ next, close, trailers }: StreamedBody, response: ServerResponse): Readable {
  return new Readable({
    read() {
      next()
        .then(async (chunk) => {
          if (chunk === undefined) {
            // A client that has read everything may start the next export at once.
            await close();
            response.addTrailers(trailers());
          }
          this.push(chunk ?? null);
        })
        .catch((error: Error) => this.destroy(error));
    },
    destroy(error, callback) {
      const end = () => callback(error);
      close().then(end, end);
    },
  });
}
