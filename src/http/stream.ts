/** Bodies that are sent piece by piece, as fast as the client takes them. */

import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { StreamedBody } from '../reply/reply.ts';

/** A client that takes nothing for so long is cut off, in milliseconds: it holds a snapshot of the database open. */
const STALL_TIMEOUT = 120_000;

/** The headers are set already. What fails on the way breaks the connection, so that no part looks like the whole. */
export function sendStream(reply: FastifyReply, body: StreamedBody): FastifyReply {
  if (reply.request.method === 'HEAD') {
    void body.close();
    return reply.send();
  }
  for (const [name, value] of Object.entries(body.trailers)) reply.trailer(name, async () => value);
  reply.raw.setTimeout(STALL_TIMEOUT, () => reply.raw.destroy());
  return reply.send(readable(body));
}

function readable({ next, close }: StreamedBody): Readable {
  return new Readable({
    read() {
      next().then(
        (piece) => this.push(piece ?? null),
        (error: Error) => this.destroy(error),
      );
    },
    destroy(error, callback) {
      const end = () => callback(error);
      close().then(end, end);
    },
  });
}
