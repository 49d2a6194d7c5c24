/**
 * What a client sends, on the node's disk until all of it has arrived. A client may take long to send it, and a connection to the database, of which there
 * are few, would wait for it; and some files can be read only from their end.
 */

import type { FileHandle } from 'node:fs/promises';
import { append, openTemporaryFile } from './temporary-file.ts';

/** Writes everything to a file without a name, which is gone when it is closed, or when the process ends. */
export async function spool(pieces: AsyncIterable<string | Uint8Array>): Promise<FileHandle> {
  const file = await openTemporaryFile();
  try {
    for await (const piece of pieces) await append(file, piece);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
