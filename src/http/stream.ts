/** Bodies that are sent piece by piece, as fast as the client takes them. */

import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { StreamedBody } from '../reply/reply.ts';

/** A client that takes nothing for so long is cut off, in milliseconds: it holds a snapshot of the database open. */
const STALL_TIMEOUT = 120_000;

/** The headers are set already. What fails on the way breaks the connection, so that no part looks like the whole. */
export function sendStream(reply: FastifyReply, body: StreamedBody): FastifyReply {
  if (reply.request.method === 'HEAD') {
    body.close().catch(() => undefined);
    // A length would have to be that of the whole stream.
    return reply.send(Readable.from([]));
  }
  reply.raw.setTimeout(STALL_TIMEOUT, () => reply.raw.destroy());
  return reply.header('trailer', Object.keys(body.trailers).join(', ')).send(readable(body, reply.raw));
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
