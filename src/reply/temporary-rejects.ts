/** The rows that an import would reject, as the file that a response consists of. It exists only until it is sent. */

import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ImportFormat } from '../import/import.ts';
import { RejectFile } from '../import/reject-file.ts';
import type { Reply, StreamedBody } from './reply.ts';

/** How much of it is sent at a time, in bytes. */
const CHUNK = 64 * 1024;

export class TemporaryRejects {
  readonly file: RejectFile;
  readonly #path: string;

  private constructor(file: RejectFile, path: string) {
    this.file = file;
    this.#path = path;
  }

  static async open({ frame }: ImportFormat): Promise<TemporaryRejects> {
    const path = join(tmpdir(), `stockbook-rejects-${randomUUID()}`);
    return new TemporaryRejects(await RejectFile.open(path, true, frame), path);
  }

  /** Once all of them are written. 204 if there are none. */
  async reply(type: string): Promise<Reply> {
    const body = await this.#body();
    const headers = { 'cache-control': 'no-store' };
    if (body === undefined) return { status: 204, headers };
    return { status: 200, headers: { ...headers, 'content-type': type, 'content-disposition': 'attachment' }, body };
  }

  async #body(): Promise<StreamedBody | undefined> {
    const file = await open(this.#path).catch(() => undefined);
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
    await rm(this.#path, { force: true });
  }
}
