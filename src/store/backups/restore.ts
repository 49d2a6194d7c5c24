/** Puts a backup in the place of a SQLite file. */

import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname } from 'node:path';
import { type Clock, systemClock, timestamp } from '../../schedule/clock.ts';
import type { Generation } from '../engine/engine.ts';
import type { Upgrade } from '../migrations/migrations.ts';
import { openStore } from '../open.ts';
import { type CopyContent, copyDatabase, type OnCopied, verifyCopy } from '../sqlite/database-copy.ts';
import { ExclusiveLock } from '../sqlite/exclusive-lock.ts';
import { companionsOf, linkNew, sync, TemporaryFile } from '../sqlite/temporary-file.ts';
import { UnusableDatabase } from '../store-error.ts';

export interface RestoreOptions {
  readonly onCopied?: OnCopied;
  readonly onUpgrade?: (upgrade: Upgrade) => void;
  /** The backup is in place. What follows is waiting. */
  readonly onRestored?: (restored: Restored) => void;
  readonly clock?: Clock;
}

export interface Restored {
  readonly content: CopyContent;
  readonly generation: Generation;
  /** Where the previous file is; undefined if there was none. */
  readonly kept: string | undefined;
}

/**
 * Nothing is changed until the backup has been copied and verified. The previous file is kept under another name, and while
 * this runs, no process can use it. If there is none, and a process creates it meanwhile, it is left alone.
 */
export async function restore(file: string, database: string, options: RestoreOptions): Promise<void> {
  const { clock = systemClock } = options;
  const target = existsSync(database) ? realpathSync(database) : database;
  const previous = statSync(target, { throwIfNoEntry: false });
  const lock = previous === undefined ? requireNoLog(target) : requireUnused(target);
  try {
    const copy = new TemporaryFile(target);
    try {
      requireDatabase(file);
      await copyDatabase(file, copy.path, options.onCopied);
      const content = verifyCopy(copy.path, file);
      const generation = await beginHistory(copy.path, file, options);
      if (previous !== undefined) takeOver(copy.path, previous);
      const kept = previous === undefined ? undefined : keep(target, lock, timestamp(clock));
      if (!copy.place({ replace: previous !== undefined })) throw inUse(database);
      options.onRestored?.({ content, generation, kept });
    } finally {
      copy.remove();
    }
    await lock?.releaseReplaced(clock);
  } finally {
    lock?.release();
  }
}

/** How every SQLite database begins: https://www.sqlite.org/fileformat.html */
const HEADER = 'SQLite format 3\0';

function requireDatabase(file: string): void {
  const start = Buffer.alloc(HEADER.length);
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, start);
  } finally {
    closeSync(descriptor);
  }
  if (start.toString('latin1') === HEADER) return;
  throw new UnusableDatabase(
    `${file} is not a SQLite database, so it is not a backup. Name a file that "stockbook backup" made; one that is compressed has to be decompressed first. Nothing was changed.`,
  );
}

function requireUnused(target: string): ExclusiveLock | undefined {
  const lock = ExclusiveLock.take(target);
  if (lock === 'in use') throw inUse(target);
  // A process that has it open notices that it was replaced, and does not use it any more.
  return lock === 'damaged' ? undefined : lock;
}

/** The file was deleted. A process may still have it open, and nobody else knows whether the log is needed. */
function requireNoLog(target: string): undefined {
  const [log] = companionsOf(target);
  if (log === undefined) return;
  throw new UnusableDatabase(
    `${log} exists without ${target}. Stop every process that uses the database, and move ${log} away before you restore it. Nothing was changed.`,
  );
}

function inUse(database: string): UnusableDatabase {
  return new UnusableDatabase(
    `${database} is in use. Stop the service, and every other process that has it open, before you restore it. Nothing was changed.`,
  );
}

/** In the copy, so that no state of the restored database exists without it. */
async function beginHistory(copy: string, file: string, { onUpgrade }: RestoreOptions): Promise<Generation> {
  const store = await openStore(
    { kind: 'sqlite', path: copy },
    { create: false, poolSize: 1, statementTimeout: 0, ...(onUpgrade && { onUpgrade }) },
  );
  try {
    const generation = await store.beginGeneration();
    await store.audit.append({ action: 'database restored', account: null, details: { file: basename(file) } });
    return generation;
  } finally {
    await store.close();
  }
}

/** The service may run as another user than this command. */
function takeOver(copy: string, { mode, uid, gid }: Stats): void {
  const { uid: ownUid, gid: ownGid } = statSync(copy);
  if (uid !== ownUid || gid !== ownGid) chownSync(copy, uid, gid);
  chmodSync(copy, mode);
}

/** Under another name, with its log, if that cannot be moved into the file. The original name stays until it is replaced. */
function keep(target: string, lock: ExclusiveLock | undefined, now: string): string {
  const time = now.replaceAll(/[-:]|\.\d+/g, '');
  const kept = `${target}.before-restore-${time}`;
  const isSettled = lock?.settle() === true;
  // Its connection would remove the log of the new file.
  if (!isSettled) lock?.release();
  if (!linkNew(target, kept)) throw new UnusableDatabase(`${kept} exists. Nothing was changed; try again.`);
  if (!isSettled) for (const path of companionsOf(target)) renameSync(path, kept + path.slice(target.length));
  // If the machine crashes once the restored file has the original name, this one still has a name.
  sync(dirname(target));
  return kept;
}
