/** The rows that an import would reject, as the file that a response consists of. It exists only until it is sent. */

import type { FileHandle } from 'node:fs/promises';
import { FramedRows, type RejectFrame, type Rejects } from '../import/reject-file.ts';
import { append, openTemporaryFile } from '../store/temporary-file.ts';
import type { Reply } from './reply.ts';

/** How much of it is sent at a time, in bytes. */
const CHUNK = 64 * 1024;

export class TemporaryRejects implements Rejects {
  readonly #file: FileHandle;
  readonly #onGone: () => void;
  readonly #rows: FramedRows;
  #isReplied = false;
  #gone: Promise<void> | undefined;

  private constructor(file: FileHandle, onGone: () => void) {
    this.#file = file;
    this.#onGone = onGone;
    this.#rows = new FramedRows((text) => append(file, text));
  }

  /** `onGone` is called when the file is. */
  static async open(onGone: () => void): Promise<TemporaryRejects> {
    try {
      return new TemporaryRejects(await openTemporaryFile(), onGone);
    } catch (error) {
      onGone();
      throw error;
    }
  }

  begin(frame: RejectFrame): void {
    this.#rows.begin(frame);
  }

  add(rows: readonly string[]): Promise<void> {
    return this.#rows.add(rows);
  }

  close(): Promise<void> {
    return this.#rows.end();
  }

  /** Once all of them are written. 204 if there are none. The file is gone when the response has been sent. */
  reply(): Reply {
    const headers = { 'cache-control': 'no-store' };
    const { type, count } = this.#rows;
    if (count === 0 || type === undefined) return { status: 204, headers };
    this.#isReplied = true;
    let position = 0;
    const body = {
      next: async () => {
        const { bytesRead, buffer } = await this.#file.read({ buffer: Buffer.alloc(CHUNK), position });
        position += bytesRead;
        return bytesRead === 0 ? undefined : buffer.subarray(0, bytesRead);
      },
      close: () => this.#remove(),
      trailers: () => ({}),
    };
    // It names no encoding, because a file in another one has a byte order mark.
    return { status: 200, headers: { ...headers, 'content-type': type, 'content-disposition': 'attachment' }, body };
  }

  async removeUnlessSent(): Promise<void> {
    if (!this.#isReplied) await this.#remove();
  }

  #remove(): Promise<void> {
    this.#gone ??= this.#file.close().finally(this.#onGone);
    return this.#gone;
  }
}
