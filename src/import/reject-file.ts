/** Rows that could not be imported, as they stood in their file: to be mended and imported once more. */

import { type FileHandle, open, rm } from 'node:fs/promises';
import type { Format } from './format.ts';

export class RejectFile {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #frame: Format<unknown>['frame'];
  #header = '';
  #rows = 0;

  private constructor(path: string, file: FileHandle, frame: Format<unknown>['frame']) {
    this.#path = path;
    this.#file = file;
    this.#frame = frame;
  }

  static async open(path: string, frame: Format<unknown>['frame']): Promise<RejectFile> {
    return new RejectFile(path, await open(path, 'w'), frame);
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

  /** Without any rows no file is left. */
  async close(): Promise<void> {
    if (this.#rows > 0) await this.#file.appendFile(this.#frame.after);
    await this.#file.close();
    if (this.#rows === 0) await rm(this.#path);
  }

  async remove(): Promise<void> {
    await this.#file.close();
    await rm(this.#path);
  }
}
