/** stockbook restored */

import { Command } from 'commander';
import { printResult } from './output.ts';
import { addSettingFlags } from './setting-flags.ts';
import { withStore } from './with-store.ts';

export function restoredCommand(): Command {
  return addSettingFlags(new Command('restored'), ['database'])
    .description('begin a new generation after a database was restored without "stockbook restore"')
    .addHelpText(
      'after',
      `
Run it after PostgreSQL was restored from a dump, a base backup or a snapshot, or after a SQLite file was copied back by hand, and
before the services are started. Running it once more does no harm.`,
    )
    .action((_options: unknown, command: Command) =>
      withStore(command, { create: false }, async (store) => {
        const { number } = await store.beginGeneration();
        await store.audit.append({ action: 'database restored', account: null, details: { file: null } });
        printResult(
          `Generation ${number} has begun. Cursors and entity tags of changes that the backup does not have are not valid any more.`,
        );
      }),
    );
}
