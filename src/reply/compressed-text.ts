/**
 * A text that is sent more than once, compressed for the clients that accept it. That never delays a response: a text is
 * compressed in the background when it is first wanted, one text at a time, and sent as it is until then.
 */

import { promisify } from 'node:util';
import { gzip, zstdCompress } from 'node:zlib';
import { byteLength, type Pieces } from '../store/pieces.ts';

/** Content codings. The client says which one it prefers. */
export const CODINGS = ['zstd', 'gzip'] as const;
export type Coding = (typeof CODINGS)[number];

/** Those of files that were compressed when the package was built, the smallest form first. */
export const FILE_CODINGS = ['br', 'gzip'] as const;
export type FileCoding = (typeof FILE_CODINGS)[number];

const compressors: Record<Coding, (bytes: Uint8Array) => Promise<Uint8Array>> = {
  zstd: promisify<Uint8Array, Uint8Array>(zstdCompress),
  gzip: promisify<Uint8Array, Uint8Array>(gzip),
};

/** A smaller text fits into a packet anyway; a larger one would keep others waiting. In bytes. */
const [MIN_BYTES, MAX_BYTES] = [1_400, 4 * 1024 * 1024];

/** In all texts. */
let isCompressing = false;

/** Undefined if compressing the text is not worthwhile. */
export function compressible(
  text: string | Pieces,
  onCompressed: (bytes: number) => void = () => undefined,
): CompressedText | undefined {
  const bytes = byteLength(text);
  return bytes < MIN_BYTES || bytes > MAX_BYTES ? undefined : new CompressedText(text, onCompressed);
}

export class CompressedText {
  readonly #text: string | Pieces;
  /** Called with the bytes of all forms when there is a new one. */
  readonly #onCompressed: (bytes: number) => void;
  readonly #forms = new Map<Coding, Uint8Array>();

  constructor(text: string | Pieces, onCompressed: (bytes: number) => void) {
    this.#text = text;
    this.#onCompressed = onCompressed;
  }

  /** Undefined if it has not been compressed yet. That is then begun in the background. */
  in(coding: Coding): Uint8Array | undefined {
    const form = this.#forms.get(coding);
    if (form === undefined && !isCompressing) void this.#compress(coding);
    return form;
  }

  async #compress(coding: Coding): Promise<void> {
    isCompressing = true;
    try {
      const bytes = typeof this.#text === 'string' ? Buffer.from(this.#text) : Buffer.concat(this.#text);
      this.#forms.set(coding, await compressors[coding](bytes));
      this.#onCompressed([...this.#forms.values()].reduce((sum, form) => sum + form.byteLength, 0));
    } catch {
      // Out of memory, say. The text is sent as it is.
    } finally {
      isCompressing = false;
    }
  }
}
