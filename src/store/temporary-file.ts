/**
 * Files in the directory for temporary files. They have no name, so they are gone when they are closed, and when the process ends, however it
 * ends.
 */

import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from './process-number.ts';
import { StoreUnavailable } from './store-error.ts';

/** A file has a name, with the number of its process, only for as long as it takes to open it. */
const NAME = /^stockbook-(\d+)-[0-9a-f-]{36}$/;

/** What is written to it can be read again. Nobody else can read it. */
export async function openTemporaryFile(): Promise<FileHandle> {
  const path = join(tmpdir(), `stockbook-${process.pid}-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600).catch((error: unknown) => {
    throw noTemporarySpace(`no file can be made in ${tmpdir()}`, error);
  });
  try {
    await unlink(path);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Throws `StoreUnavailable` if there is no room. */
export async function append(file: FileHandle, content: string | Uint8Array): Promise<void> {
  try {
    await file.appendFile(content);
  } catch (error) {
    const isFull = error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
    throw isFull ? noTemporarySpace(`the disk that holds temporary files in ${tmpdir()} is full`, error) : error;
  }
}

function noTemporarySpace(message: string, cause: unknown): StoreUnavailable {
  return new StoreUnavailable('no temporary space', message, { cause });
}

/** Removes what processes have left behind that were killed while they opened a file. */
export function removeLeftovers(): void {
  for (const name of namesIn(tmpdir())) {
    const [, pid] = NAME.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) remove(join(tmpdir(), name));
  }
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** It may be somebody else's. */
function remove(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // It is empty.
  }
}
