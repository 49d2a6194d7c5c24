/** stockbook restore */

import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { contentText } from './backup.ts';
import { CommandError } from './command-error.ts';
import { isFileError, isSameFile, reasonOf, statsOf } from './files.ts';
import { exitWhenInterrupted } from './interruption.ts';
import { printNote, printResult } from './output.ts';
import { ProgressReport } from './progress.ts';
import { addSettingFlags, CommandSettings } from './setting-flags.ts';

export function restoreCommand(): Command {
  return addSettingFlags(new Command('restore'), ['database'])
    .description('put a backup in the place of a SQLite database, which is kept under another name')
    .argument('<file>', 'a backup that "stockbook backup" made')
    .option('--yes', 'confirm it; without this flag, a database that exists is not replaced')
    .action(runRestore);
}

async function runRestore(file: string, { yes }: { readonly yes?: true }, command: Command): Promise<void> {
  const database = new CommandSettings(command).get('database');
  if (database.kind === 'postgres')
    throw new CommandError(
      'stockbook restore restores SQLite files. Restore PostgreSQL with its own tools, and run "stockbook restored" afterwards: docs/backup.md has the steps.',
    );
  const { path } = database;
  if (statsOf(file)?.isFile() !== true) throw new CommandError(`There is no file ${file}.`);
  if (isSameFile(file, path)) throw new CommandError(`${file} is the database itself.`, 2);
  if (existsSync(path) && yes !== true)
    throw new CommandError(
      `This would replace ${path} by ${file}, and keep ${path} under another name. Nothing was changed. Add --yes to confirm.`,
    );
  const { restore } = await import('../store/backups/restore.ts');
  const report = new ProgressReport();
  exitWhenInterrupted(report);
  await restore(file, path, {
    onCopied: ({ bytes, total }) => report.showBytes({ activity: 'Copying', bytes, total }),
    onUpgrade: ({ from, to }) => printNote(`The backup was upgraded from schema ${from} to ${to}.`),
    onRestored: ({ content, generation, kept }) => {
      report.end();
      const previous = kept === undefined ? '' : ` The previous file is ${kept}.`;
      printResult(
        `Restored ${path} from ${file}: ${contentText(content)}. Generation ${generation.number} has begun.${previous}`,
      );
      if (content.wrongLedgers > 0)
        printNote('Its ledgers and records do not agree. "stockbook check --repair" repairs it.');
      if (kept !== undefined) printNote('Keeping the database locked for a few seconds, until it can be used safely.');
    },
  })
    .catch((error: unknown) => {
      throw isFileError(error) ? new CommandError(`${path} cannot be restored: ${reasonOf(error)}.`) : error;
    })
    .finally(() => report.end());
}
