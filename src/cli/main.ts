/** The command line: `stockbook <command>`. Exit code 0, 1 if the command failed, 2 if it was used incorrectly. */

import cluster from 'node:cluster';
import { Command, CommanderError } from 'commander';
import { visibleText } from '../problem/visible-text.ts';
import { StartupError } from '../process/startup-error.ts';
import { OutdatedFields, StoreUnavailable, UnusableDatabase } from '../store/store-error.ts';
import { version } from '../version.ts';
import { CommandError } from './command-error.ts';
import { printNote } from './output.ts';

/** In the order of the help. A command is loaded only if it is used: together they need most of the program. */
const commands: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ['serve', async () => (await import('./serve.ts')).serveCommand()],
  ['account', async () => (await import('./account.ts')).accountCommand()],
  ['key', async () => (await import('./key.ts')).keyCommand()],
  ['field', async () => (await import('./field.ts')).fieldCommand()],
  ['import', async () => (await import('./import.ts')).importCommand()],
  ['source', async () => (await import('./source.ts')).sourceCommand()],
  ['mirror', async () => (await import('./mirror/mirror.ts')).mirrorCommand()],
  ['watch', async () => (await import('./watch/watch.ts')).watchCommand()],
  ['export', async () => (await import('./export.ts')).exportCommand()],
  ['audit', async () => (await import('./audit.ts')).auditCommand()],
  ['backup', async () => (await import('./backup.ts')).backupCommand()],
  ['restore', async () => (await import('./restore.ts')).restoreCommand()],
  ['restored', async () => (await import('./restored.ts')).restoredCommand()],
  ['check', async () => (await import('./check.ts')).checkCommand()],
  ['config', async () => (await import('./config.ts')).configCommand()],
  ['openapi', async () => (await import('./openapi.ts')).openApiCommand()],
  ['types', async () => (await import('./types.ts')).typesCommand()],
  ['top', async () => (await import('./top.ts')).topCommand()],
]);

/** With one command if `first`, the first argument, is its name, and otherwise with all of them. */
export async function program(first?: string): Promise<Command> {
  const command = new Command('stockbook')
    .description("An ERP query service: an account's products, partners and companies over JSON and HTTP.")
    .version(version())
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(usageError(text)) })
    .showHelpAfterError('Add --help for help.');
  const named = commands.get(first ?? '');
  const loaded = named === undefined ? [...commands.values()] : [named];
  for (const subcommand of await Promise.all(loaded.map((load) => load()))) command.addCommand(subcommand);
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
    await (await program(argv[2])).parseAsync(argv);
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
  if (error instanceof OutdatedFields) {
    printNote('stockbook: The fields have changed meanwhile. Nothing was changed; run the command again.');
    return 1;
  }
  throw error;
}

/** Commands that were created separately do not inherit the settings of their parent. */
function withInheritedSettings(command: Command): Command {
  for (const part of command.commands) withInheritedSettings(part.copyInheritedSettings(command));
  return command;
}
