/** The rows that an import would reject, as the file that a response consists of. It exists only until it is sent. */

import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RejectFile } from '../import/reject-file.ts';
import type { Reply, StreamedBody } from './reply.ts';

/** How much of it is sent at a time, in bytes. */
const CHUNK = 64 * 1024;

export class TemporaryRejects {
  readonly file: RejectFile;
  readonly #folder: string;

  private constructor(file: RejectFile, folder: string) {
    this.file = file;
    this.#folder = folder;
  }

  static async open(): Promise<TemporaryRejects> {
    // Nobody else may read it.
    const folder = await mkdtemp(join(tmpdir(), 'stockbook-rejects-'));
    return new TemporaryRejects(await RejectFile.open(join(folder, 'rows'), true), folder);
  }

  /** Once all of them are written. 204 if there are none. */
  async reply(): Promise<Reply> {
    const body = await this.#body();
    const headers = { 'cache-control': 'no-store' };
    const { type } = this.file;
    if (body === undefined || type === undefined) return { status: 204, headers };
    // It names no encoding, because a file in another one has a byte order mark.
    return { status: 200, headers: { ...headers, 'content-type': type, 'content-disposition': 'attachment' }, body };
  }

  async #body(): Promise<StreamedBody | undefined> {
    const file = await open(join(this.#folder, 'rows')).catch(() => undefined);
    if (file === undefined) return undefined;
    return {
      async next() {
        const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(CHUNK) });
        return bytesRead === 0 ? undefined : buffer.subarray(0, bytesRead);
      },
      close: () => file.close(),
      trailers: () => ({}),
    };
  }

  /** A file that is open can still be read. */
  async remove(): Promise<void> {
    this.file.discard();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
