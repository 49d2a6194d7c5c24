/**
 * A text that is sent more than once, compressed for the clients that accept it. That never delays a response: a text is
 * compressed in the background when it is first wanted, one text at a time, and sent as it is until then.
 */

import { promisify } from 'node:util';
import { gzip, zstdCompress } from 'node:zlib';
import { byteLength, type Pieces } from './pieces.ts';

/** Content codings, the preferred one first: zstd is faster at the same size. */
export const CODINGS = ['zstd', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

const compressors: Record<Coding, (bytes: Uint8Array) => Promise<Uint8Array>> = {
  zstd: promisify<Uint8Array, Uint8Array>(zstdCompress),
  gzip: promisify<Uint8Array, Uint8Array>(gzip),
};

/** A smaller text fits into a packet anyway; a larger one would keep others waiting. In bytes. */
const [MIN_BYTES, MAX_BYTES] = [1_400, 4 * 1024 * 1024];

/** In all texts. */
let isCompressing = false;

export class CompressedText {
  readonly #text: string | Pieces;
  readonly #isWorthwhile: boolean;
  /** Called with the bytes of all forms when there is a new one. */
  readonly #onCompressed: (bytes: number) => void;
  readonly #forms = new Map<Coding, Uint8Array>();

  constructor(text: string | Pieces, onCompressed: (bytes: number) => void = () => undefined) {
    this.#text = text;
    const bytes = byteLength(text);
    this.#isWorthwhile = bytes >= MIN_BYTES && bytes <= MAX_BYTES;
    this.#onCompressed = onCompressed;
  }

  /** Undefined if it has not been compressed. Then it is soon. */
  in(coding: Coding): Uint8Array | undefined {
    const form = this.#forms.get(coding);
    if (form === undefined && this.#isWorthwhile && !isCompressing) void this.#compress(coding);
    return form;
  }

  async #compress(coding: Coding): Promise<void> {
    isCompressing = true;
    try {
      const bytes = typeof this.#text === 'string' ? Buffer.from(this.#text) : Buffer.concat(this.#text);
      this.#forms.set(coding, await compressors[coding](bytes));
      this.#onCompressed([...this.#forms.values()].reduce((sum, form) => sum + form.byteLength, 0));
    } finally {
      isCompressing = false;
    }
  }
}
