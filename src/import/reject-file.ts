/** The file of rows that could not be imported, unchanged, so that they can be fixed and imported again. */

import { rmSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { Format } from './format.ts';

/** What is around the rows. */
export interface RejectFrame {
  /** The media type. */
  readonly type: string;
  readonly before: string;
  readonly between: string;
  readonly after: string;
}

/**
 * `header` names the columns, if the format has such a line. The file is in UTF-8; if the one that is imported is not, a byte order mark says so, whatever
 * is decided about the encoding when it is imported in turn.
 */
export function rejectFrame(
  { rowsType, frame }: Pick<Format<unknown>, 'rowsType' | 'frame'>,
  header: string,
  encoding: string | undefined,
): RejectFrame {
  const mark = encoding === undefined || encoding === 'utf-8' ? '' : '\ufeff';
  return { type: rowsType, before: mark + frame.before(header), between: frame.between, after: frame.after };
}

/** Where the rows go that could not be imported. */
export interface Rejects {
  /** Before any rows. */
  begin(frame: RejectFrame): void;
  add(rows: readonly string[]): Promise<void>;
  /** After all rows. */
  close(): Promise<void>;
}

/** How many rows are written at a time, and about how many characters. */
const MAX_BATCH = 1_000;
const MAX_BATCH_LENGTH = 256 * 1024;

/** Puts the rows into their frame. */
export class FramedRows {
  readonly #write: (text: string) => Promise<void>;
  #frame: RejectFrame | undefined;
  #count = 0;

  constructor(write: (text: string) => Promise<void>) {
    this.#write = write;
  }

  get count(): number {
    return this.#count;
  }

  /** Undefined as long as no rows were read. */
  get type(): string | undefined {
    return this.#frame?.type;
  }

  begin(frame: RejectFrame): void {
    this.#frame = frame;
  }

  async add(rows: readonly string[]): Promise<void> {
    for (const batch of batchesOf(rows)) {
      const { before: start, between } = this.#begun;
      const before = this.#count === 0 ? start : between;
      this.#count += batch.length;
      await this.#write(before + batch.join(between));
    }
  }

  async end(): Promise<void> {
    if (this.#count > 0) await this.#write(this.#begun.after);
  }

  get #begun(): RejectFrame {
    if (this.#frame === undefined) throw new Error('it has not begun');
    return this.#frame;
  }
}

function* batchesOf(rows: readonly string[]): Iterable<readonly string[]> {
  let batch: string[] = [];
  let length = 0;
  for (const row of rows) {
    batch.push(row);
    length += row.length;
    if (batch.length < MAX_BATCH && length < MAX_BATCH_LENGTH) continue;
    yield batch;
    batch = [];
    length = 0;
  }
  if (batch.length > 0) yield batch;
}

/** The rejected rows could not be written. */
export class UnwritableRejects extends Error {
  override readonly name = 'UnwritableRejects';
}

export class RejectFile implements Rejects {
  readonly #path: string;
  /** Written until the outcome of the import is known; the path itself if it is a pipe or a device. */
  readonly #temporary: string;
  readonly #file: FileHandle;
  readonly #rows = new FramedRows((text) => this.#file.appendFile(text));

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
    return new RejectFile(path, temporary, await open(temporary, isFile ? 'wx' : 'w', 0o600));
  }

  begin(frame: RejectFrame): void {
    this.#rows.begin(frame);
  }

  add(rows: readonly string[]): Promise<void> {
    return this.#attempt(() => this.#rows.add(rows));
  }

  /** Replaces an existing file. Without any rows, no file remains. */
  async close(): Promise<void> {
    await this.#attempt(async () => {
      await this.#rows.end();
      await this.#file.close();
      if (this.#temporary === this.#path) return;
      if (this.#rows.count > 0) return rename(this.#temporary, this.#path);
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
