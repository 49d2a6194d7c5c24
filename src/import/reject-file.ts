/** Rows that could not be imported, as they stood in their file: to be mended and imported once more. */

import { rmSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { Format } from './format.ts';

export class RejectFile {
  readonly #path: string;
  /** What is there before it is known how the import ends. */
  readonly #partial: string;
  readonly #file: FileHandle;
  readonly #frame: Format<unknown>['frame'];
  #header = '';
  #rows = 0;

  private constructor(path: string, partial: string, file: FileHandle, frame: Format<unknown>['frame']) {
    this.#path = path;
    this.#partial = partial;
    this.#file = file;
    this.#frame = frame;
  }

  static async open(path: string, frame: Format<unknown>['frame']): Promise<RejectFile> {
    const partial = `${path}.partial`;
    return new RejectFile(path, partial, await open(partial, 'w'), frame);
  }

  /** The line that names the columns, where the format has one. */
  begin(header: string): void {
    this.#header = header;
  }

  async add(rows: readonly string[]): Promise<void> {
    if (rows.length === 0) return;
    const before = this.#rows === 0 ? this.#frame.before(this.#header) : this.#frame.between;
    this.#rows += rows.length;
    await this.#file.appendFile(before + rows.join(this.#frame.between));
  }

  /** Takes the place of what was there. Without any rows there is no file afterwards. */
  async close(): Promise<void> {
    if (this.#rows > 0) await this.#file.appendFile(this.#frame.after);
    await this.#file.close();
    await rm(this.#path, { force: true });
    if (this.#rows > 0) await rename(this.#partial, this.#path);
    else await rm(this.#partial);
  }

  /** Leaves what was there before as it is. At once, since the program may be about to end. */
  discard(): void {
    rmSync(this.#partial, { force: true });
  }
}
