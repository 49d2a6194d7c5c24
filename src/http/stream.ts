/** Sends large bodies chunk by chunk, as fast as the client reads them. */

import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline, Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { StreamedBody } from '../reply/reply.ts';
import { acceptsTrailers } from '../request/accept.ts';
import type { Pieces } from '../store/pieces.ts';

export function streamHeaders(body: StreamedBody, response: ServerResponse): OutgoingHttpHeaders {
  const names = Object.keys(trailersOf(body, response));
  return { 'transfer-encoding': 'chunked', ...(names.length > 0 && { trailer: names.join(', ') }) };
}

/** None unless the client asks for them: an intermediary that copies headers would announce what it does not send. */
function trailersOf({ trailers }: StreamedBody, { req }: ServerResponse): ReturnType<StreamedBody['trailers']> {
  return acceptsTrailers(req.headers['te']) ? trailers() : {};
}

/** The headers have been written. An error breaks the connection, so that a part never looks like the whole. */
export function sendStream(response: ServerResponse, body: StreamedBody): void {
  // Errors were reported where they occurred, and a client that disconnects is not an error.
  pipeline(toReadable(body, response), response, () => undefined);
}

/** A fast client takes a piece per iteration of the event loop, so it delays others by at most one of them. */
export function sendPieces(response: ServerResponse, pieces: Pieces): void {
  pipeline(onePerIteration(pieces), response, () => undefined);
}

async function* onePerIteration(pieces: Pieces): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    yield piece;
    await setImmediate();
  }
}

function toReadable(body: StreamedBody, response: ServerResponse): Readable {
  const { next, close } = body;
  return new Readable({
    read() {
      next()
        .then(async (chunk) => {
          if (chunk === undefined) {
            // A client that has read everything may start the next export at once.
            await close();
            response.addTrailers(trailersOf(body, response));
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
