/** stockbook serve */

import { Command } from 'commander';
import { listenForStop } from '../process/shutdown.ts';
import { sameAddress } from '../settings/same-address.ts';
import { settingNames } from '../settings/settings.ts';
import { CommandError } from './command-error.ts';
import { addSettingFlags, CommandSettings } from './setting-flags.ts';

export function serveCommand(): Command {
  return addSettingFlags(new Command('serve'), settingNames)
    .description('serve the accounts of a database over HTTP')
    .action(async (_options: unknown, command: Command) => {
      const stop = listenForStop();
      const settings = new CommandSettings(command);
      const invalid = sameAddress(settings);
      if (invalid !== undefined) throw new CommandError(invalid.message, 2);
      // Loaded only here: it is most of the program, and no other command needs it.
      const [{ serve }, { announce }] = await Promise.all([import('../process/serve.ts'), import('./announce.ts')]);
      await serve(settings, stop, (addresses, store, emit) => announce(settings, addresses, store, emit));
    });
}
