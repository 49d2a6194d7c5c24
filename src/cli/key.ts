/** stockbook key */

import { Command } from 'commander';
import { issueKey, rotateKey } from '../access/issue-key.ts';
import { readKey } from '../access/key.ts';
import { SCOPES, type Scope, type Store, type StoredKey } from '../store/store.ts';
import { findAccount } from './accounts.ts';
import { readDuration } from './duration.ts';
import { CommandFailure } from './failure.ts';
import { printNote, printResult, printTable } from './output.ts';
import { addSettingFlags } from './setting-flags.ts';
import { withStore } from './with-store.ts';

const KEY_ARGUMENT = 'its id, as "key list" shows it, or the whole key';

export function keyCommand(): Command {
  const command = new Command('key').description('add, list, rotate and revoke API keys');
  addSettingFlags(command.command('add'), ['database'])
    .description('make a key; it is printed on stdout, once')
    .argument('<account>')
    .requiredOption('--name <LABEL>', 'what the key is for, such as the system that uses it')
    .option('--scope <SCOPES>', 'what the key may do', SCOPES.join(','))
    .option('--expires <TIME>', 'how long it works: 12h, 90d, 1y (default: for ever)')
    .action(addKey);
  addSettingFlags(command.command('list'), ['database'])
    .description('list the keys of an account')
    .argument('<account>')
    .action(listKeys);
  addSettingFlags(command.command('rotate'), ['database'])
    .description('make a key that takes the place of another; it is printed on stdout, once')
    .argument('<key>', KEY_ARGUMENT)
    .option('--overlap <TIME>', 'how long the old key goes on working', '24h')
    .action(exchangeKey);
  addSettingFlags(command.command('revoke'), ['database'])
    .description('end a key at once')
    .argument('<key>', KEY_ARGUMENT)
    .action(revokeKey);
  return command;
}

interface AddOptions {
  readonly name: string;
  readonly scope: string;
  readonly expires?: string;
}

async function addKey(accountName: string, options: AddOptions, command: Command): Promise<void> {
  const { name } = options;
  const scopes = readScopes(options.scope);
  const now = Date.now();
  const createdAt = new Date(now).toISOString();
  const expiresAt =
    options.expires === undefined ? null : new Date(now + readDuration('--expires', options.expires)).toISOString();
  await withStore(command, { create: false }, async (store) => {
    const account = await findAccount(store, accountName);
    printResult(await issueKey(store.keys, { account: account.id, name, scopes, createdAt, expiresAt }));
  });
}

async function listKeys(accountName: string, _options: unknown, command: Command): Promise<void> {
  await withStore(command, { create: false }, async (store) => {
    const account = await findAccount(store, accountName);
    const keys = await store.keys.list(account.id);
    if (keys.length === 0) {
      printNote(`${account.name} has no keys. "stockbook key add ${account.name} --name LABEL" makes one.`);
      return;
    }
    const now = new Date().toISOString();
    printTable(
      ['ID', 'NAME', 'SCOPES', 'STATE', 'CREATED', 'LAST USED'],
      keys.map((key) => [
        key.id,
        key.name,
        key.scopes.join(','),
        stateOf(key, now),
        key.createdAt,
        key.lastUsedAt ?? 'never',
      ]),
    );
  });
}

async function exchangeKey(key: string, options: { readonly overlap: string }, command: Command): Promise<void> {
  const overlap = readDuration('--overlap', options.overlap);
  await withStore(command, { create: false }, async (store) => {
    printResult(await rotateKey(store.keys, await findWorkingKey(store, key), Date.now(), overlap));
  });
}

async function revokeKey(key: string, _options: unknown, command: Command): Promise<void> {
  await withStore(command, { create: false }, async (store) => {
    const { id, name } = await findWorkingKey(store, key);
    await store.keys.revoke(id, new Date().toISOString());
    printResult(`Revoked the key ${id} (${name}).`);
  });
}

async function findWorkingKey(store: Store, text: string): Promise<StoredKey> {
  const found = await store.keys.find(readKey(text)?.id ?? text);
  if (found === undefined)
    throw new CommandFailure(`There is no key ${text}. "stockbook key list ACCOUNT" shows the keys of an account.`);
  const { id, revokedAt } = found.key;
  if (revokedAt !== null) throw new CommandFailure(`The key ${id} was revoked on ${revokedAt}.`);
  return found.key;
}

function stateOf({ revokedAt, expiresAt }: StoredKey, now: string): string {
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  if (expiresAt === null) return 'works';
  return expiresAt <= now ? `expired ${expiresAt}` : `works until ${expiresAt}`;
}

function readScopes(text: string): readonly Scope[] {
  const words = text.split(',').map((word) => word.trim());
  const unknown = words.find((word) => !SCOPES.some((scope) => scope === word));
  if (unknown !== undefined)
    throw new CommandFailure(`--scope is "${text}"; the scopes are ${SCOPES.join(' and ')}, separated by commas.`, 2);
  return SCOPES.filter((scope) => words.includes(scope));
}
