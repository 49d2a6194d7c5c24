/** The file of rows that could not be imported, unchanged, so that they can be fixed and imported again. */

import { rmSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { Format } from './format.ts';

/** How many rows are written per batch. */
const MAX_BATCH = 1_000;

/** The rejected rows could not be written. */
export class UnwritableRejects extends Error {
  override readonly name = 'UnwritableRejects';
}

export class RejectFile {
  readonly #path: string;
  /** Written until the outcome of the import is known; the path itself if it is a pipe or a device. */
  readonly #temporary: string;
  readonly #file: FileHandle;
  readonly #frame: Format<unknown>['frame'];
  #header = '';
  #rows = 0;

  private constructor(path: string, temporary: string, file: FileHandle, frame: Format<unknown>['frame']) {
    this.#path = path;
    this.#temporary = temporary;
    this.#file = file;
    this.#frame = frame;
  }

  /** `isFile`: whether the path is a regular file or doesn't exist yet. */
  static async open(path: string, isFile: boolean, frame: Format<unknown>['frame']): Promise<RejectFile> {
    const temporary = isFile ? `${path}.partial` : path;
    // One that was left behind, or that somebody else put there, is not written to.
    if (isFile) await rm(temporary, { force: true });
    return new RejectFile(path, temporary, await open(temporary, isFile ? 'wx' : 'w'), frame);
  }

  /** The line that names the columns, if the format has one. */
  setHeader(header: string): void {
    this.#header = header;
  }

  async add(rows: readonly string[]): Promise<void> {
    for (let from = 0; from < rows.length; from += MAX_BATCH) {
      const batch = rows.slice(from, from + MAX_BATCH);
      const before = this.#rows === 0 ? this.#frame.before(this.#header) : this.#frame.between;
      this.#rows += batch.length;
      await this.#attempt(() => this.#file.appendFile(before + batch.join(this.#frame.between)));
    }
  }

  /** Replaces an existing file. Without any rows, no file remains. */
  async close(): Promise<void> {
    await this.#attempt(async () => {
      if (this.#rows > 0) await this.#file.appendFile(this.#frame.after);
      await this.#file.close();
      if (this.#temporary === this.#path) return;
      if (this.#rows > 0) return rename(this.#temporary, this.#path);
      await rm(this.#path, { force: true });
      await rm(this.#temporary);
    });
  }

  /** Leaves an existing file as it is. Synchronous, because the program may be about to exit. */
  discard(): void {
    // Nothing depends on when it is closed.
    this.#file.close().catch(() => undefined);
    if (this.#temporary !== this.#path) rmSync(this.#temporary, { force: true });
  }

  async #attempt(body: () => Promise<void>): Promise<void> {
    try {
      await body();
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      throw new UnwritableRejects(`${this.#temporary} cannot be written (${reason}).`, { cause: error });
    }
  }
}
