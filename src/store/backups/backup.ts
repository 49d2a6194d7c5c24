/** Makes a verified backup of a SQLite file while it is in use. */

import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { systemClock } from '../../schedule/clock.ts';
import { processActor } from '../accounts/process-actor.ts';
import { withPatience } from '../engine/with-patience.ts';
import { SCHEMA_VERSION } from '../migrations/migrations.ts';
import { entryStatement, NO_ACCOUNT } from '../sql/audit-statements.ts';
import { Connection } from '../sqlite/connection.ts';
import { type CopyContent, copyDatabase, type OnCopied, verifyCopy } from '../sqlite/database-copy.ts';
import { sqliteDialect } from '../sqlite/dialect.ts';
import { translateError } from '../sqlite/errors.ts';
import { accessTo } from '../sqlite/file-access.ts';
import { companionsOf, TemporaryFile } from '../sqlite/temporary-file.ts';
import { UnusableDatabase } from '../store-error.ts';

export type { CopyContent };

/** How long the entry in the audit trail waits for another process that writes, such as an import of millions of rows, and the pause between two attempts, in milliseconds. */
const PATIENCE = 15 * 60_000;
const PAUSE = 100;

export interface BackupOptions {
  /** Whether to replace a file that exists. */
  readonly overwrite: boolean;
  readonly onCopied?: OnCopied;
  /** Called when everything is copied. Verifying blocks the process. */
  readonly onVerifying?: () => void;
  /** The backup is complete. Its entry in the audit trail has to wait until another process has written what it writes. */
  readonly onWaiting?: () => void;
  /** The backup is complete, but its entry in the audit trail could not be written. */
  readonly onNotRecorded?: (error: unknown) => void;
}

/** The backup appears when it is complete and verified. Undefined if the file exists, and must not be replaced. */
export async function backUp(
  database: string,
  file: string,
  { overwrite, onCopied, onVerifying, onWaiting, onNotRecorded }: BackupOptions,
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
    if (!copy.place({ replace: overwrite })) return undefined;
    try {
      await record(database, file, content, onWaiting);
    } catch (error) {
      onNotRecorded?.(translateError(error, database));
    }
    return content;
  } catch (error) {
    throw translateError(error, database);
  } finally {
    copy.remove();
  }
}

/** A database of an earlier version is not upgraded for it. */
async function record(
  database: string,
  file: string,
  { bytes, schema }: CopyContent,
  onWaiting?: () => void,
): Promise<void> {
  if (schema < SCHEMA_VERSION) throw new UnusableDatabase(`${database} has the schema of an earlier version.`);
  if (accessTo(database) !== 'read-write') throw new UnusableDatabase(`${database} is read-only.`);
  const connection = new Connection(database);
  try {
    const details = { file: basename(file), bytes };
    const entry = { action: 'backup written', account: NO_ACCOUNT, details } as const;
    let attempts = 0;
    const attempt = async () => {
      attempts += 1;
      if (attempts === 2) onWaiting?.();
      try {
        connection.write([entryStatement(entry, processActor(), sqliteDialect)]);
      } catch (error) {
        throw translateError(error, database);
      }
    };
    await withPatience(systemClock, attempt, PAUSE, PATIENCE);
  } finally {
    connection.close();
  }
}
