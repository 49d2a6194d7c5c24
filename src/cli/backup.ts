/** stockbook backup */

import { Command } from 'commander';
import { resources } from '../catalog/catalog.ts';
import type { CopyContent } from '../store/backups/backup.ts';
import { CommandError } from './command-error.ts';
import { isFileError, isSameFile, reasonOf, statsOf } from './files.ts';
import { exitWhenInterrupted } from './interruption.ts';
import { byteCount, count, printNote, printResult } from './output.ts';
import { ProgressReport } from './progress.ts';
import { addSettingFlags, CommandSettings } from './setting-flags.ts';

export function backupCommand(): Command {
  return addSettingFlags(new Command('backup'), ['database'])
    .description('make a verified copy of a SQLite database while it is in use')
    .argument('<file>', 'the copy; it appears once it is complete')
    .option('--overwrite', 'replace the file if it exists')
    .action(runBackup);
}

async function runBackup(
  file: string,
  { overwrite = false }: { readonly overwrite?: boolean },
  command: Command,
): Promise<void> {
  const database = new CommandSettings(command).get('database');
  if (database.kind === 'postgres')
    throw new CommandError(
      'stockbook backup copies SQLite files. Back up PostgreSQL with pg_dump or pg_basebackup: docs/backup.md has the steps.',
    );
  if (['', '-wal', '-shm'].some((companion) => isSameFile(file, database.path + companion)))
    throw new CommandError(`${file} is the database itself, or a part of it.`, 2);
  if (statsOf(file)?.isFile() === false) throw new CommandError(`${file} is not a file.`, 2);
  // Loaded only here, with SQLite.
  const { backUp } = await import('../store/backups/backup.ts');
  const report = new ProgressReport();
  exitWhenInterrupted(report);
  const content = await backUp(database.path, file, {
    overwrite,
    onCopied: ({ bytes, total }) => report.showBytes({ activity: 'Copying', bytes, total }),
    onVerifying: () => report.end(),
    onWaiting: () =>
      printNote(
        `The backup is complete. Its entry in the audit trail waits until another process has written what it is writing.`,
      ),
    onNotRecorded: (error) =>
      printNote(
        `The backup is complete, but the audit trail has no entry of it, from which metrics and alerts know the last backup: ${error instanceof Error ? error.message : error}`,
      ),
  })
    .catch((error: unknown) => {
      throw isFileError(error) ? new CommandError(`${file} cannot be written: ${reasonOf(error)}.`) : error;
    })
    .finally(() => report.end());
  if (content === undefined) throw new CommandError(`${file} exists. Add --overwrite to replace it.`);
  printResult(`Backed up ${database.path} to ${file}: ${contentText(content)}.`);
}

/** `1.2 MiB, 2 accounts, 12 products, 3 partners, 2 companies` */
export function contentText({ bytes, accounts, records }: CopyContent): string {
  return [
    byteCount(bytes),
    count(accounts, 'account', 'accounts'),
    ...resources.map(({ name, plural }) => count(records.get(name) ?? 0, name, plural)),
  ].join(', ');
}
