/** Bytes that can be read from any place, which a ZIP archive needs: its list of files is at its end. */

import { type FileHandle, open } from 'node:fs/promises';
import { spool } from '../../store/spool.ts';
import { TooManyBytes } from '../file-text.ts';

export interface RandomAccess {
  readonly size: number;
  /** Fewer bytes than that if the file ends before. */
  read(offset: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** A regular file: a pipe or a device has to be spooled. */
export async function openFile(path: string): Promise<RandomAccess> {
  const file = await open(path);
  try {
    return await randomAccess(file);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Keeps the bytes on disk until it is closed. */
export async function spooled(bytes: AsyncIterable<Uint8Array>, maxBytes: number): Promise<RandomAccess> {
  return randomAccess(await spool(limited(bytes, maxBytes)));
}

async function* limited(bytes: AsyncIterable<Uint8Array>, maxBytes: number): AsyncIterable<Uint8Array> {
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > maxBytes) throw new TooManyBytes();
    yield chunk;
  }
}

async function randomAccess(file: FileHandle): Promise<RandomAccess> {
  const { size } = await file.stat();
  return {
    size,
    async read(offset, length) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    },
    close: () => file.close(),
  };
}
