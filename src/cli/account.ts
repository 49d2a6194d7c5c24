/** stockbook account */

import { Command } from 'commander';
import { resources } from '../catalog/catalog.ts';
import { systemClock, timestamp } from '../schedule/clock.ts';
import { accountColumns, accountFormats } from './account-file.ts';
import { linkCommand } from './account-link.ts';
import { checkAccountName, findAccount } from './accounts.ts';
import { type AddFileOptions, addAccountsFrom } from './add-accounts.ts';
import { CommandError } from './command-error.ts';
import { readCurrency, showCurrency } from './currency.ts';
import { byteCount, count, printJsonLines, printNote, printResult, printTable } from './output.ts';
import { ProgressReport } from './progress.ts';
import { readAccountLimit, showAccountLimit } from './rate-limit.ts';
import { addSettingFlags } from './setting-flags.ts';
import { readRecordLimit, readStorageLimit, showRecordLimit, showStorageLimit } from './storage-limit.ts';
import { withStore } from './with-store.ts';

export function accountCommand(): Command {
  const command = new Command('account').description(
    'add, list, limit, set up and remove accounts, and sign in to them',
  );
  addSettingFlags(command.command('add'), ['database'])
    .description('add an account, or all accounts in a file, with their limits and keys')
    .argument('[name]', 'lowercase letters, digits and hyphens: it becomes part of a host name')
    .option(
      '--file <FILE>',
      `add all accounts in this file, or none: ${FORMAT_NAMES.join(' or ')}; - for standard input`,
    )
    .option('--format <FORMAT>', `of the file: ${FORMAT_NAMES.join(', ')} (default: inferred from its extension)`)
    .option('--output <FILE>', 'write the keys to this new file, which only you can read, instead of stdout')
    .addHelpText('after', FILE_HELP)
    .action(addAccount);
  command.addCommand(linkCommand());
  addSettingFlags(command.command('list'), ['database'])
    .description('list the accounts and how many records each has')
    .option('--json', 'print every account as a line of JSON')
    .action(listAccounts);
  addSettingFlags(command.command('limit'), ['database'])
    .description('limit the requests of all keys of an account together, and what it stores, effective immediately')
    .argument('<name>')
    .argument('[limit]', 'requests per second: a number, or unlimited')
    .option('--records <NUMBER>', 'records that it may have: a number, unlimited, or default')
    .option('--storage <SIZE>', 'the size of all values that it may store, such as 2GB, unlimited, or default')
    .action(limitAccount);
  addSettingFlags(command.command('set'), ['database'])
    .description('change how the console shows an account, effective immediately')
    .argument('<name>')
    .option('--currency <CODE>', 'the currency of its amounts: a code of ISO 4217 such as EUR, or none')
    .action(setAccount);
  addSettingFlags(command.command('remove'), ['database'])
    .description('remove an account with all its records and keys')
    .argument('<name>')
    .option('--yes', 'confirm it; without this flag, the command only says what it would remove')
    .action(removeAccount);
  return command;
}

const FORMAT_NAMES = accountFormats.map(({ name }) => name);

const FILE_HELP = `
The columns of a file, or the members of its lines:

${Object.entries(accountColumns)
  .map(([name, { meaning }]) => `  ${name.padEnd(10)} ${meaning}`)
  .join('\n')}

Keys are printed once, in the format of the file, each with its account and its name.

  stockbook account add --file accounts.csv --output keys.csv`;

async function addAccount(name: string | undefined, options: AddFileOptions, command: Command): Promise<void> {
  if (options.file !== undefined) {
    if (name !== undefined) throw new CommandError('Give either a name or --file.', 2);
    return addAccountsFrom(options.file, options, command);
  }
  if (name === undefined) throw new CommandError('Give the name of the account, or --file.', 2);
  if (options.format !== undefined || options.output !== undefined)
    throw new CommandError('--format and --output require --file.', 2);
  checkAccountName(name);
  await withStore(command, { create: true }, async (store) => {
    const account = await store.accounts.add(name, timestamp(systemClock));
    if (account === undefined) throw new CommandError(`The account ${name} already exists.`);
    printResult(`Added the account ${name}. Issue a key for it with "stockbook key add ${name} --name LABEL".`);
  });
}

async function listAccounts({ json }: { readonly json?: true }, command: Command): Promise<void> {
  await withStore(command, { create: false, mayBeReadOnly: true }, async (store) => {
    const accounts = await store.accounts.list();
    if (json) {
      printJsonLines(
        accounts.map(({ name, rows, bytes, rateLimit: limit, recordLimit, byteLimit, currency, createdAt }) => ({
          account: name,
          records: Object.fromEntries(resources.map((resource) => [resource.name, rows.get(resource.name) ?? 0])),
          bytes,
          createdAt,
          limit,
          recordLimit,
          byteLimit,
          currency,
        })),
      );
      return;
    }
    if (accounts.length === 0) {
      printNote('There are no accounts. Add one with "stockbook account add NAME".');
      return;
    }
    printTable(
      [
        'ACCOUNT',
        ...resources.map(({ plural }) => plural.toUpperCase()),
        'SIZE',
        'CREATED',
        'LIMIT',
        'RECORDS',
        'STORAGE',
        'CURRENCY',
      ],
      accounts.map(({ name, rows, bytes, rateLimit, recordLimit, byteLimit, currency, createdAt }) => [
        name,
        ...resources.map((resource) => String(rows.get(resource.name) ?? 0)),
        byteCount(bytes),
        createdAt,
        showAccountLimit(rateLimit),
        showRecordLimit(recordLimit),
        showStorageLimit(byteLimit),
        showCurrency(currency),
      ]),
    );
  });
}

interface LimitOptions {
  readonly records?: string;
  readonly storage?: string;
}

async function limitAccount(
  name: string,
  limit: string | undefined,
  { records, storage }: LimitOptions,
  command: Command,
): Promise<void> {
  const limits = {
    ...(limit !== undefined && { rateLimit: readAccountLimit(limit) }),
    ...(records !== undefined && { recordLimit: readRecordLimit('--records', records) }),
    ...(storage !== undefined && { byteLimit: readStorageLimit('--storage', storage) }),
  };
  if (Object.keys(limits).length === 0) throw new CommandError('Give a limit, --records or --storage.', 2);
  await withStore(command, { create: false }, async (store) => {
    const { id } = await findAccount(store, name);
    await store.accounts.setLimits(id, limits);
    const { rateLimit, recordLimit, byteLimit } = await findAccount(store, name);
    printResult(
      `The limits of the account ${name}: requests ${showAccountLimit(rateLimit)}, records ${showRecordLimit(recordLimit)}, storage ${showStorageLimit(byteLimit)}.`,
    );
  });
}

async function setAccount(
  name: string,
  { currency: text }: { readonly currency?: string },
  command: Command,
): Promise<void> {
  if (text === undefined) throw new CommandError('Give --currency.', 2);
  const currency = readCurrency('--currency', text);
  await withStore(command, { create: false }, async (store) => {
    const { id } = await findAccount(store, name);
    await store.accounts.setCurrency(id, currency);
    printResult(`The currency of the account ${name}: ${showCurrency(currency)}.`);
  });
}

async function removeAccount(name: string, { yes }: { readonly yes?: true }, command: Command): Promise<void> {
  await withStore(command, { create: false }, async (store) => {
    const { id } = await findAccount(store, name);
    const summary = (await store.accounts.list()).find((account) => account.id === id);
    const content = resources
      .map((resource) => count(summary?.rows.get(resource.name) ?? 0, resource.name, resource.plural))
      .join(', ');
    if (yes !== true)
      throw new CommandError(
        `This would permanently remove the account ${name} with ${content}, and all its keys. Nothing was removed. Add --yes to confirm.`,
      );
    const report = new ProgressReport();
    const total = [...(summary?.rows.values() ?? [])].reduce((sum, rows) => sum + rows, 0);
    const removed = await store.accounts.remove(id, (rows) =>
      report.show({
        activity: 'Removing',
        rows,
        total: Math.max(rows, total),
        fraction: rows / Math.max(rows, total, 1),
      }),
    );
    report.end();
    printResult(`Removed the account ${name} with ${content}.`);
    if (removed === 'being removed')
      printNote(
        'Nobody can use it any more, but some of its records are still in the database, because it cannot be written to now. The service removes them as soon as it can; until then, backups contain them.',
      );
  });
}
