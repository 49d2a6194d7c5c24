/** Compresses replies for clients that accept it: responses that are kept, and streams. */

import { pipeline, Readable, type Transform } from 'node:stream';
import { constants, createGzip, createZstdCompress } from 'node:zlib';
import { preferredCoding, XLSX_TYPE } from '../request/accept.ts';
import { CODINGS, type Coding } from './compressed-text.ts';
import { codedTag } from './entity-tag.ts';
import { isStreamed, type Reply, type StreamedBody } from './reply.ts';

/** The maximum number of streams that are compressed at the same time, since each takes up to a megabyte. Others are sent as they are. */
export const MAX_STREAMS = 32;

let streams = 0;

export function contentCoded(reply: Reply, acceptEncoding: string | undefined): Reply {
  const { body, compressed } = reply;
  if (compressed === undefined && !isStreamed(body)) return reply;
  const coding = preferredCoding(acceptEncoding, CODINGS);
  if (coding === undefined) return reply;
  const coded = isStreamed(body) ? streamIn(coding, reply, body) : wholeIn(coding, reply);
  return coded === undefined ? reply : { ...reply, headers: codedHeaders(reply, coding), body: coded };
}

function wholeIn(coding: Coding, { compressed }: Reply): Reply['body'] {
  const form = compressed?.in(coding);
  return form && [form];
}

/** A strong entity tag identifies the bytes, so every coding has its own. */
function codedHeaders({ headers }: Reply, coding: Coding): Reply['headers'] {
  const { etag } = headers;
  return { ...headers, 'content-encoding': coding, ...(etag !== undefined && { etag: codedTag(etag, coding) }) };
}

/** Events are sent as they happen, and may be rare: they would wait in the compressor. A workbook is compressed by itself. */
const AS_THEY_ARE: readonly unknown[] = ['text/event-stream', XLSX_TYPE];

function streamIn(coding: Coding, { headers }: Reply, body: StreamedBody): StreamedBody | undefined {
  if (AS_THEY_ARE.includes(headers['content-type']) || streams >= MAX_STREAMS) return undefined;
  let compressor: Transform | undefined;
  let chunks: AsyncIterator<Uint8Array> | undefined;
  let isClosed = false;
  streams += 1;
  const start = (): AsyncIterator<Uint8Array> => {
    compressor = compressorFor(coding);
    // An error of the stream is reported by the compressor's iterator.
    pipeline(Readable.from(chunksOf(body)), compressor, () => undefined);
    return compressor[Symbol.asyncIterator]();
  };
  return {
    ...body,
    async next() {
      chunks ??= start();
      const { value, done } = await chunks.next();
      return done ? undefined : value;
    },
    close() {
      if (!isClosed) streams -= 1;
      isClosed = true;
      compressor?.destroy();
      return body.close();
    },
  };
}

/** The fastest level: a stream is compressed while its client waits, and never again. */
function compressorFor(coding: Coding): Transform {
  if (coding === 'gzip') return createGzip({ level: constants.Z_BEST_SPEED });
  return createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
}

async function* chunksOf({ next }: StreamedBody): AsyncGenerator<Uint8Array> {
  for (let chunk = await next(); chunk !== undefined; chunk = await next()) yield chunk;
}
