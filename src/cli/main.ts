/** The command line: `stockbook <command>`. Exit code 0, 1 if the command failed, 2 if it was used incorrectly. */

import cluster from 'node:cluster';
import { Command, CommanderError } from 'commander';
import { visibleText } from '../problem/visible-text.ts';
import { StartupError } from '../process/startup-error.ts';
import { StoreUnavailable, UnusableDatabase } from '../store/store-error.ts';
import { version } from '../version.ts';
import { accountCommand } from './account.ts';
import { auditCommand } from './audit.ts';
import { backupCommand } from './backup.ts';
import { checkCommand } from './check.ts';
import { CommandError } from './command-error.ts';
import { configCommand } from './config.ts';
import { exportCommand } from './export.ts';
import { importCommand } from './import.ts';
import { keyCommand } from './key.ts';
import { openApiCommand } from './openapi.ts';
import { printNote } from './output.ts';
import { restoreCommand } from './restore.ts';
import { restoredCommand } from './restored.ts';
import { serveCommand } from './serve.ts';
import { topCommand } from './top.ts';

export function program(): Command {
  const command = new Command('stockbook')
    .description("An ERP query service: an account's products, partners and companies over JSON and HTTP.")
    .version(version())
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(usageError(text)) })
    .showHelpAfterError('Add --help for help.');
  for (const subcommand of [
    serveCommand(),
    accountCommand(),
    keyCommand(),
    importCommand(),
    exportCommand(),
    auditCommand(),
    backupCommand(),
    restoreCommand(),
    restoredCommand(),
    checkCommand(),
    configCommand(),
    openApiCommand(),
    topCommand(),
  ])
    command.addCommand(subcommand);
  return withInheritedSettings(command);
}

/** Returns the exit code of the process. */
export async function run(argv: readonly string[]): Promise<number> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader of our output, such as `head`, may have seen enough.
    if (error.code === 'EPIPE') process.exit(0);
    printNote(`stockbook: Standard output cannot be written (${error.code}).`);
    process.exit(1);
  });
  try {
    await program().parseAsync(argv);
    return 0;
  } catch (error) {
    return exitCodeOf(error);
  } finally {
    // The channel to the primary process would keep a worker alive.
    if (process.connected) {
      // Otherwise Node would end it at once, with an exit code of its own.
      if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
      process.disconnect();
    }
  }
}

/** An argument that is not understood is part of the message. */
function usageError(text: string): string {
  return text
    .replace(/^error: /, 'stockbook: ')
    .split('\n')
    .map(visibleText)
    .join('\n');
}

function exitCodeOf(error: unknown): number {
  // Commander has already printed the help text or the error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CommandError) {
    const [first = '', ...others] = error.lines;
    printNote(`stockbook: ${first}`, ...others);
    return error.exitCode;
  }
  if (error instanceof UnusableDatabase || error instanceof StoreUnavailable || error instanceof StartupError) {
    printNote(`stockbook: ${error.message}`);
    return 1;
  }
  throw error;
}

/** Commands that were created separately do not inherit the settings of their parent. */
function withInheritedSettings(command: Command): Command {
  for (const part of command.commands) withInheritedSettings(part.copyInheritedSettings(command));
  return command;
}
