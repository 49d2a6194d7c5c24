/** stockbook serve */

import { Command } from 'commander';
import { addSettingFlags, CommandSettings } from './setting-flags.ts';

export function serveCommand(): Command {
  return addSettingFlags(new Command('serve'), [
    'port',
    'host',
    'workers',
    'database',
    'pool-size',
    'statement-timeout',
    'cache-size',
    'domain',
    'rate-limit',
    'demo',
    'log-level',
  ])
    .description('serve the accounts of a database over HTTP')
    .action(async (_options: unknown, command: Command) => {
      const settings = new CommandSettings(command);
      // Loaded here alone: it is most of the program, and no other command needs it.
      const { runService } = await import('./run-service.ts');
      await runService(settings);
    });
}
