/** stockbook source */

import { Command } from 'commander';
import { nearest } from '../problem/nearest.ts';
import type { Account, Source, Store } from '../store/store.ts';
import { findAccount } from './accounts.ts';
import { CommandError } from './command-error.ts';
import { printJsonLines, printNote, printResult, printTable } from './output.ts';
import { addSettingFlags } from './setting-flags.ts';
import { withStore } from './with-store.ts';

export function sourceCommand(): Command {
  const command = new Command('source').description('list and remove the sources of imports, and their positions');
  addSettingFlags(command.command('list'), ['database'])
    .description('list the sources of an account, and how far each has been read')
    .argument('<account>')
    .option('--json', 'print every source as a line of JSON')
    .action(listSources);
  addSettingFlags(command.command('remove'), ['database'])
    .description('remove a source and its position; records stay as they are')
    .argument('<account>')
    .argument('<name>')
    .option('--yes', 'confirm it')
    .addHelpText(
      'after',
      `
Whoever imports from the source again begins anew: stockbook watch takes its last file for a new one, and a mirror compares
everything.

  stockbook source list acme
  stockbook source remove acme watch:product --yes`,
    )
    .action(removeSource);
  return command;
}

async function listSources(name: string, { json }: { readonly json?: true }, command: Command): Promise<void> {
  await withStore(command, { create: false, mayBeReadOnly: true }, async (store) => {
    const found = await sourcesOf(store, await findAccount(store, name));
    if (json) return printJsonLines(found);
    if (found.length === 0) return printNote(`No import into ${name} has saved a position.`);
    printTable(
      ['SOURCE', 'RESOURCE', 'SAVED', 'CHECKED', 'FAILS WITH', 'POSITION'],
      found.map(({ name: source, resource, savedAt, checkedAt, failure, position }) => [
        source,
        resource,
        savedAt,
        checkedAt ?? '',
        failure?.error ?? '',
        position,
      ]),
    );
  });
}

async function removeSource(
  accountName: string,
  name: string,
  { yes: isConfirmed }: { readonly yes?: true },
  command: Command,
): Promise<void> {
  await withStore(command, { create: false, isPatient: true }, async (store) => {
    const account = await findAccount(store, accountName);
    const source = await findSource(store, account, name);
    if (!isConfirmed)
      throw new CommandError(
        `This would remove the source ${name} of ${accountName} and its position, ${source.position}. Add --yes to do it.`,
      );
    if ((await store.imports.removeSource({ account: account.id }, source)) !== true)
      throw notFound(accountName, name, []);
    printResult(`Removed the source ${name} of ${accountName}. Its position was ${source.position}.`);
  });
}

async function findSource(store: Store, account: Account, name: string): Promise<Source> {
  const sources = await sourcesOf(store, account);
  const found = sources.find((source) => source.name === name);
  if (found !== undefined) return found;
  throw notFound(
    account.name,
    name,
    sources.map((source) => source.name),
  );
}

async function sourcesOf(store: Store, { id, name }: Account): Promise<readonly Source[]> {
  const found = await store.imports.sources({ account: id });
  if (found === 'no access') throw new CommandError(`The account ${name} has just been removed.`);
  return found;
}

function notFound(account: string, name: string, names: readonly string[]): CommandError {
  const meant = nearest(name, names);
  const help = meant === undefined ? `"stockbook source list ${account}" shows all sources.` : `Did you mean ${meant}?`;
  return new CommandError(`${account} has no source ${name}. ${help}`);
}
