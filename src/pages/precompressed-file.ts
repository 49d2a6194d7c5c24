/**
 * A file that the package also has compressed, as small as possible, so that the service never compresses it. Each form is
 * loaded when it is first requested, and kept.
 */

import { FILE_CODINGS, type FileCoding } from '../reply/compressed-text.ts';
import { codedTag } from '../reply/entity-tag.ts';
import type { Reply } from '../reply/reply.ts';
import { smallestCoding } from '../request/accept.ts';
import type { Request } from '../request/request.ts';
import type { Pieces } from '../store/pieces.ts';
import { once } from './once.ts';
import { newPage, type Page, pageReply } from './page.ts';

export interface FileForms {
  readonly type: string;
  /** The entity tag of the form that is not compressed. */
  readonly tag: () => Promise<string>;
  readonly identity: () => Promise<Buffer>;
  /** By coding. */
  readonly compressed: ReadonlyMap<FileCoding, () => Promise<Buffer>>;
}

export class PrecompressedFile {
  readonly #codings: readonly FileCoding[];
  readonly #identity: () => Promise<Page>;
  readonly #compressed: ReadonlyMap<FileCoding, () => Promise<Page>>;

  constructor({ type, tag, identity, compressed }: FileForms, headers: Page['headers'] = {}) {
    this.#codings = FILE_CODINGS.filter((coding) => compressed.has(coding));
    this.#identity = once(async () => newPage(type, inPieces(await identity()), { ...headers, etag: await tag() }));
    this.#compressed = new Map(
      [...compressed].map(([coding, load]) => [
        coding,
        once(async () => {
          const coded = { etag: codedTag(await tag(), coding), 'content-encoding': coding };
          return newPage(type, inPieces(await load()), { ...headers, ...coded });
        }),
      ]),
    );
  }

  async reply(request: Request): Promise<Reply> {
    const coding = smallestCoding(request.headers['accept-encoding'], this.#codings);
    const page = (coding === undefined ? undefined : this.#compressed.get(coding)) ?? this.#identity;
    return pageReply(await page(), request);
  }
}

/** In bytes. */
const PIECE_SIZE = 64 * 1024;

function inPieces(bytes: Buffer): Pieces {
  return Array.from({ length: Math.ceil(bytes.length / PIECE_SIZE) }, (_, n) =>
    bytes.subarray(n * PIECE_SIZE, (n + 1) * PIECE_SIZE),
  );
}
