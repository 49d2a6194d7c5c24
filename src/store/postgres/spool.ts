/**
 * Rows on the node's disk until all of them have arrived. A client may take long to send them, and a connection to the server, of which there are few,
 * would wait for it.
 */

import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoreUnavailable } from '../store-error.ts';

export class Spool {
  readonly #file: FileHandle;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  /** Writes everything to a file without a name, which is gone when it is closed, or when the process ends. */
  static async of(texts: AsyncIterable<string>): Promise<Spool> {
    const path = join(tmpdir(), `stockbook-${randomUUID()}`);
    const file = await open(path, 'wx+', 0o600).catch(rethrowUnusable);
    try {
      await unlink(path);
      for await (const text of texts) await file.appendFile(text).catch(rethrowFull);
      return new Spool(file);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Can be read once. */
  read(): AsyncIterable<Uint8Array> {
    return this.#file.createReadStream({ start: 0, autoClose: false });
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

function rethrowUnusable(error: unknown): never {
  throw new StoreUnavailable('exhausted', `no file can be made in ${tmpdir()}`, { cause: error });
}

/** No space, or no quota, is left. */
function rethrowFull(error: unknown): never {
  const isFull = error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
  if (isFull) throw new StoreUnavailable('exhausted', `${tmpdir()} has no room for the rows`, { cause: error });
  throw error;
}
