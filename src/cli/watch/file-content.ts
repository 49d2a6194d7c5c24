/** What is in a file, and proof that it is still the same: its content is hashed before it is loaded, and again while it is. */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import type { FoundFile } from './watched-folder.ts';

/** The file has another content than before. Nothing of it was loaded. */
export class FileChanged extends Error {
  override readonly name = 'FileChanged';
}

/** As hexadecimal digits. */
export async function hashOf(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of chunksOf(path, signal)) hash.update(chunk);
  return hash.digest('hex');
}

/** Throws at the end if the content does not have this hash, so nothing may take effect before all of it has been read. */
export async function* verifiedBytes(path: string, expected: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const chunk of chunksOf(path, signal)) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest('hex') !== expected) throw new FileChanged();
}

/** A file may be replaced by a link, or by a pipe that nobody writes to. Windows has neither flag. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

async function* chunksOf(path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  signal.throwIfAborted();
  const file = await open(path, FLAGS);
  for await (const chunk of file.createReadStream()) {
    signal.throwIfAborted();
    yield chunk;
  }
}

/**
 * The position of a source after a file was loaded from it. Files of the same name and content may come every night, so the time is part
 * of it; in seconds, because machines that share a folder may see it more or less precisely.
 */
export function positionOf({ name, modified }: FoundFile, hash: string): string {
  return `${new Date(Math.floor(modified / 1_000) * 1_000).toISOString()} ${hash} ${name}`;
}

/** The name and the hash of the file in a position; undefined if something else has saved it. */
export function fileIn(position: string): { readonly name: string; readonly hash: string } | undefined {
  const [, hash, name] = /^\S+ ([0-9a-f]{64}) (.+)$/s.exec(position) ?? [];
  return hash === undefined || name === undefined ? undefined : { name, hash };
}
