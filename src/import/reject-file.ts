/** Rows that could not be imported, as they stood in their file: to be mended and imported once more. */

import { rmSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { Format } from './format.ts';

/** Rows that are put into one piece of text at most. */
const ROWS_AT_ONCE = 1_000;

/** The rows could not be written where they were to go. */
export class UnwritableRejects extends Error {
  override readonly name = 'UnwritableRejects';
}

export class RejectFile {
  readonly #path: string;
  /** What is written before it is known how the import ends; the path itself where it is no file, but a pipe or a device. */
  readonly #written: string;
  readonly #file: FileHandle;
  readonly #frame: Format<unknown>['frame'];
  #header = '';
  #rows = 0;

  private constructor(path: string, written: string, file: FileHandle, frame: Format<unknown>['frame']) {
    this.#path = path;
    this.#written = written;
    this.#file = file;
    this.#frame = frame;
  }

  /** `isFile`: whether the path is that of a file, or of none yet. */
  static async open(path: string, isFile: boolean, frame: Format<unknown>['frame']): Promise<RejectFile> {
    const written = isFile ? `${path}.partial` : path;
    return new RejectFile(path, written, await open(written, 'w'), frame);
  }

  /** The line that names the columns, where the format has one. */
  begin(header: string): void {
    this.#header = header;
  }

  async add(rows: readonly string[]): Promise<void> {
    for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
      const some = rows.slice(from, from + ROWS_AT_ONCE);
      const before = this.#rows === 0 ? this.#frame.before(this.#header) : this.#frame.between;
      this.#rows += some.length;
      await this.#attempt(() => this.#file.appendFile(before + some.join(this.#frame.between)));
    }
  }

  /** Takes the place of what was there. Without any rows there is no file afterwards. */
  async close(): Promise<void> {
    await this.#attempt(async () => {
      if (this.#rows > 0) await this.#file.appendFile(this.#frame.after);
      await this.#file.close();
      if (this.#written === this.#path) return;
      if (this.#rows > 0) return rename(this.#written, this.#path);
      await rm(this.#path, { force: true });
      await rm(this.#written);
    });
  }

  /** Leaves what was there before as it is. At once, since the program may be about to end. */
  discard(): void {
    if (this.#written !== this.#path) rmSync(this.#written, { force: true });
  }

  async #attempt(body: () => Promise<void>): Promise<void> {
    try {
      await body();
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      throw new UnwritableRejects(`${this.#written} cannot be written (${reason}).`, { cause: error });
    }
  }
}
