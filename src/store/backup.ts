/** Makes a verified backup of a SQLite file while it is in use. */

import { existsSync, statSync } from 'node:fs';
import { type CopyContent, copyDatabase, type OnCopied, verifyCopy } from './sqlite/database-copy.ts';
import { translateError } from './sqlite/errors.ts';
import { companionsOf, TemporaryFile } from './sqlite/temporary-file.ts';
import { UnusableDatabase } from './store-error.ts';

export type { CopyContent };

export interface BackupOptions {
  /** Whether to replace a file that exists. */
  readonly overwrite: boolean;
  readonly onCopied?: OnCopied;
  /** Called when everything is copied. Verifying blocks the process. */
  readonly onVerifying?: () => void;
}

/** The backup appears when it is complete and verified. Undefined if the file exists, and must not be replaced. */
export async function backUp(
  database: string,
  file: string,
  { overwrite, onCopied, onVerifying }: BackupOptions,
): Promise<CopyContent | undefined> {
  if (statSync(database, { throwIfNoEntry: false })?.isFile() !== true)
    throw new UnusableDatabase(`There is no database file ${database}. Choose another with --database.`);
  if (!overwrite && (existsSync(file) || companionsOf(file).length > 0)) return undefined;
  const copy = new TemporaryFile(file);
  try {
    await copyDatabase(database, copy.path, onCopied);
    onVerifying?.();
    const content = verifyCopy(copy.path, database);
    if (content.wrongLedgers > 0)
      throw new UnusableDatabase(
        `${database} was not backed up: its ledgers and records do not agree. "stockbook check --repair" repairs it.`,
      );
    return copy.place({ replace: overwrite }) ? content : undefined;
  } catch (error) {
    throw translateError(error, database);
  } finally {
    copy.remove();
  }
}
