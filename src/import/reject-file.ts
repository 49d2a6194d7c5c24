/** The file of rows that could not be imported, unchanged, so that they can be fixed and imported again. */

import { rmSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { Format } from './format.ts';

type RejectFormat = Pick<Format<unknown>, 'rowsType' | 'frame'>;

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
  #format: RejectFormat | undefined;
  #before = '';
  #rows = 0;

  private constructor(path: string, temporary: string, file: FileHandle) {
    this.#path = path;
    this.#temporary = temporary;
    this.#file = file;
  }

  /** `isFile`: whether the path is a regular file or doesn't exist yet. */
  static async open(path: string, isFile: boolean): Promise<RejectFile> {
    const temporary = isFile ? `${path}.partial` : path;
    // One that was left behind, or that somebody else put there, is not written to.
    if (isFile) await rm(temporary, { force: true });
    return new RejectFile(path, temporary, await open(temporary, isFile ? 'wx' : 'w'));
  }

  /** Undefined as long as no rows were read. */
  get type(): string | undefined {
    return this.#format?.rowsType;
  }

  /**
   * Before any rows. `header` names the columns, if the format has such a line. The file is in UTF-8; if the one that is imported is not, a byte order
   * mark says so, whatever is decided about the encoding when it is imported in turn.
   */
  begin(format: RejectFormat, header: string, encoding: string | undefined): void {
    this.#format = format;
    const mark = encoding === undefined || encoding === 'utf-8' ? '' : '\ufeff';
    this.#before = mark + format.frame.before(header);
  }

  async add(rows: readonly string[]): Promise<void> {
    for (let from = 0; from < rows.length; from += MAX_BATCH) {
      const batch = rows.slice(from, from + MAX_BATCH);
      const { between } = this.#frame;
      const before = this.#rows === 0 ? this.#before : between;
      this.#rows += batch.length;
      await this.#attempt(() => this.#file.appendFile(before + batch.join(between)));
    }
  }

  get #frame(): RejectFormat['frame'] {
    if (this.#format === undefined) throw new Error('it has not begun');
    return this.#format.frame;
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
