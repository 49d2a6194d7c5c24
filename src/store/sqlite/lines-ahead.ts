/** The lines of a stream, which can be read ahead of their client, into a temporary file: then it does not matter to others how slow the client is. */

import type { FileHandle } from 'node:fs/promises';
import type { Chunk } from '../engine/engine.ts';
import { append, openTemporaryFile } from '../temporary-file.ts';
import type { TemporarySpace } from './temporary-space.ts';

/** Where a chunk is in the file, or the chunk itself if there was no room for it. */
type StoredChunk = { readonly position: number; readonly length: number; readonly lines: number } | Chunk;

export class LinesAhead {
  readonly #read: () => Promise<Chunk | undefined>;
  readonly #space: Pick<TemporarySpace, 'take' | 'give'>;
  readonly #stored: StoredChunk[] = [];
  #file: FileHandle | undefined;
  #length = 0;
  /** What the client waits for, as long as nothing is read ahead. */
  #latest: Promise<unknown> = Promise.resolve();
  /** While lines are read ahead. */
  #reading: Promise<void> | undefined;
  #onStored = Promise.withResolvers<void>();
  #end: { readonly error?: unknown } | undefined;
  #isClosed = false;

  /** `read` is not called before its previous call has ended. */
  constructor(read: () => Promise<Chunk | undefined>, space: Pick<TemporarySpace, 'take' | 'give'>) {
    this.#read = read;
    this.#space = space;
  }

  async next(): Promise<Chunk | undefined> {
    for (;;) {
      const stored = this.#stored.shift();
      if (stored !== undefined) return this.#load(stored);
      if (this.#end !== undefined) {
        if ('error' in this.#end) throw this.#end.error;
        return undefined;
      }
      if (this.#reading === undefined) {
        const chunk = this.#read();
        this.#latest = chunk.catch(() => undefined);
        return chunk;
      }
      await this.#onStored.promise;
    }
  }

  /** Resolves to true if everything has been read. False if there was not enough room for it. */
  async readAhead(): Promise<boolean> {
    this.#reading = this.#latest.then(() => this.#readAll());
    await this.#reading;
    this.#reading = undefined;
    this.#wake();
    return this.#end !== undefined;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#file?.close();
    this.#space.give(this.#length);
    this.#length = 0;
    this.#file = undefined;
  }

  async #readAll(): Promise<void> {
    try {
      while (!this.#isClosed) {
        const chunk = await this.#read();
        if (chunk === undefined) {
          this.#end = {};
          return;
        }
        const stored = await this.#store(chunk);
        this.#stored.push(stored);
        this.#wake();
        if ('bytes' in stored) return;
      }
    } catch (error) {
      this.#end = { error };
    }
  }

  #wake(): void {
    this.#onStored.resolve();
    this.#onStored = Promise.withResolvers();
  }

  async #store(chunk: Chunk): Promise<StoredChunk> {
    const { byteLength } = chunk.bytes;
    const position = this.#length;
    if (this.#isClosed || !this.#space.take(byteLength, position)) return chunk;
    this.#length += byteLength;
    try {
      const file = this.#file ?? (await openTemporaryFile());
      if (this.#isClosed) await file.close();
      else this.#file = file;
      await append(file, chunk.bytes);
      return { position, length: byteLength, lines: chunk.lines };
    } catch {
      // There is no room, or the stream has been closed.
      return chunk;
    }
  }

  async #load(stored: StoredChunk): Promise<Chunk> {
    if ('bytes' in stored) return stored;
    const bytes = new Uint8Array(stored.length);
    const read = await this.#file?.read(bytes, 0, stored.length, stored.position);
    if (read?.bytesRead !== stored.length) throw new Error('a part of the stream is missing');
    return { bytes, lines: stored.lines };
  }
}
