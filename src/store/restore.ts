/** Puts a backup in the place of a SQLite file. */

import { chmodSync, chownSync, existsSync, realpathSync, renameSync, type Stats, statSync } from 'node:fs';
import { basename } from 'node:path';
import type { Generation } from './engine/engine.ts';
import type { Upgrade } from './migrations/migrations.ts';
import { openStore } from './open.ts';
import { type CopyContent, copyDatabase, type OnCopied, verifyCopy } from './sqlite/database-copy.ts';
import { ExclusiveLock } from './sqlite/exclusive-lock.ts';
import { COMPANIONS, linkNew, TemporaryFile } from './sqlite/temporary-file.ts';
import { UnusableDatabase } from './store-error.ts';

export interface RestoreOptions {
  readonly onCopied?: OnCopied;
  readonly onUpgrade?: (upgrade: Upgrade) => void;
  /** The backup is in place. What follows is waiting. */
  readonly onRestored?: (restored: Restored) => void;
}

export interface Restored {
  readonly content: CopyContent;
  readonly generation: Generation;
  /** Where the previous file is; undefined if there was none. */
  readonly kept: string | undefined;
}

/**
 * Nothing is changed until the backup has been copied and verified. The previous file is kept under another name. While this
 * runs, no process can use the database.
 */
export async function restore(file: string, database: string, options: RestoreOptions): Promise<void> {
  const target = existsSync(database) ? realpathSync(database) : database;
  const previous = statSync(target, { throwIfNoEntry: false });
  const lock = previous === undefined ? undefined : requireUnused(target);
  try {
    const copy = new TemporaryFile(target);
    try {
      await copyDatabase(file, copy.path, options.onCopied);
      const content = verifyCopy(copy.path, file);
      const generation = await beginHistory(copy.path, file, options);
      if (previous !== undefined) takeOver(copy.path, previous);
      const kept = keep(target, lock);
      if (!copy.place({ replace: previous !== undefined })) throw inUse(database);
      options.onRestored?.({ content, generation, kept });
    } finally {
      copy.remove();
    }
    await lock?.releaseReplaced();
  } finally {
    lock?.release();
  }
}

function requireUnused(target: string): ExclusiveLock | undefined {
  const lock = ExclusiveLock.take(target);
  if (lock === 'in use') throw inUse(target);
  // A process that has it open notices that it was replaced, and does not use it any more.
  return lock === 'damaged' ? undefined : lock;
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

/**
 * Under another name, with its log, if that cannot be moved into the file. The original name stays until it is replaced. A log
 * whose file is gone is kept as well. Undefined if there is nothing.
 */
function keep(target: string, lock: ExclusiveLock | undefined): string | undefined {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const kept = `${target}.before-restore-${time}`;
  const isSettled = lock?.settle() === true;
  // Its connection would remove the log of the new file.
  if (!isSettled) lock?.release();
  const companions = isSettled ? [] : COMPANIONS.filter((suffix) => existsSync(target + suffix));
  for (const suffix of companions) renameSync(target + suffix, kept + suffix);
  if (!existsSync(target)) return companions.length === 0 ? undefined : kept;
  if (!linkNew(target, kept)) throw new UnusableDatabase(`${kept} exists. Nothing was changed; try again.`);
  return kept;
}
