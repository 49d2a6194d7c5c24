/** The command line: `stockbook <command>`. Exit code 0, 1 where a command failed, 2 where it was used wrongly. */

import cluster from 'node:cluster';
import { Command, CommanderError } from 'commander';
import { StoreUnavailable, UnusableDatabase } from '../store/store-error.ts';
import { accountCommand } from './account.ts';
import { configCommand } from './config.ts';
import { exportCommand } from './export.ts';
import { CommandFailure } from './failure.ts';
import { importCommand } from './import.ts';
import { keyCommand } from './key.ts';
import { printNote } from './output.ts';
import { serveCommand } from './serve.ts';
import { version } from './version.ts';

export function program(): Command {
  const command = new Command('stockbook')
    .description("An ERP query service: an account's products, partners and companies over JSON and HTTP.")
    .version(version())
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'stockbook: ')) })
    .showHelpAfterError('Add --help for help.');
  for (const part of [
    serveCommand(),
    accountCommand(),
    keyCommand(),
    importCommand(),
    exportCommand(),
    configCommand(),
  ])
    command.addCommand(part);
  return inherited(command);
}

/** Gives the process's exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // Whoever reads our output, such as `head`, may stop reading.
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
    // The channel to the process that leads this one would keep it alive.
    if (process.connected) {
      // Otherwise Node would end it at once, with an exit code of its own.
      if (cluster.worker !== undefined) cluster.worker.exitedAfterDisconnect = true;
      process.disconnect();
    }
  }
}

function exitCodeOf(error: unknown): number {
  // Commander has printed help, or what is wrong with the words of the command, by itself.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CommandFailure) {
    printNote(`stockbook: ${error.message}`);
    return error.exitCode;
  }
  if (error instanceof UnusableDatabase || error instanceof StoreUnavailable) {
    printNote(`stockbook: ${error.message}`);
    return 1;
  }
  throw error;
}

/** Commands that were made apart do not take over what their parent was told. */
function inherited(command: Command): Command {
  for (const part of command.commands) inherited(part.copyInheritedSettings(command));
  return command;
}
