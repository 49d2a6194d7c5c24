/**
 * What a client sends, on the node's disk until all of it has arrived. A client may take long to send it, and a connection to the database, of which there
 * are few, would wait for it; and some files can be read only from their end.
 */

import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StoreUnavailable } from './store-error.ts';

/** Writes everything to a file without a name, which is gone when it is closed, or when the process ends. */
export async function spool(pieces: AsyncIterable<string | Uint8Array>): Promise<FileHandle> {
  const path = join(tmpdir(), `stockbook-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600).catch(rethrowUnusable);
  try {
    await unlink(path);
    for await (const piece of pieces) await file.appendFile(piece).catch(rethrowFull);
    return file;
  } catch (error) {
    await file.close();
    throw error;
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
