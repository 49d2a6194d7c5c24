/** stockbook key */

import { Command } from 'commander';
import { issueKey, rotateKey } from '../access/issue-key.ts';
import { readKey } from '../access/key.ts';
import { expiresSoon } from '../access/key-expiry.ts';
import { DEFAULT_SCOPES, SCOPES } from '../catalog/scopes.ts';
import { systemClock, timestamp } from '../schedule/clock.ts';
import type { Store, StoredKey } from '../store/store.ts';
import { findAccount } from './accounts.ts';
import { CommandError } from './command-error.ts';
import { printDuration, readDuration } from './duration.ts';
import { printJsonLines, printNote, printResult, printTable } from './output.ts';
import { readKeyLimit, showKeyLimit } from './rate-limit.ts';
import { readScopes } from './scopes.ts';
import { addSettingFlags } from './setting-flags.ts';
import { withStore } from './with-store.ts';

const LIMIT_WORDS = 'a number, unlimited, or default for that of --rate-limit';

const KEY_ARGUMENT = 'its id, as "key list" shows it, or the complete key';

export function keyCommand(): Command {
  const command = new Command('key').description('issue, list, rotate, limit and revoke API keys');
  addSettingFlags(command.command('add'), ['database'])
    .description('issue a key; it is printed on stdout, once')
    .argument('<account>')
    .requiredOption('--name <LABEL>', 'what the key is for, such as the system that uses it')
    .option(
      '--scope <SCOPES>',
      `what the key permits, separated by commas: ${SCOPES.join(', ')}`,
      DEFAULT_SCOPES.join(','),
    )
    .option('--expires <DURATION>', 'lifetime: 30m, 12h, 90d, 2w, 1y (default: unlimited)')
    .option('--limit <LIMIT>', `requests per second: ${LIMIT_WORDS} (default: default)`)
    .action(addKey);
  addSettingFlags(command.command('list'), ['database'])
    .description('list the keys of an account, or of all accounts')
    .argument('[account]', 'all accounts if it is left out')
    .option('--json', 'print every key as a line of JSON')
    .action(listKeys);
  addSettingFlags(command.command('rotate'), ['database'])
    .description('issue a key that replaces another; it is printed on stdout, once')
    .argument('<key>', KEY_ARGUMENT)
    .option('--overlap <DURATION>', 'how long the old key keeps working: 0m, 30m, 12h, 7d', '24h')
    .action(replaceKey);
  addSettingFlags(command.command('limit'), ['database'])
    .description('limit the requests of a key, effective immediately')
    .argument('<key>', KEY_ARGUMENT)
    .argument('<limit>', `requests per second: ${LIMIT_WORDS}`)
    .action(limitKey);
  addSettingFlags(command.command('revoke'), ['database'])
    .description('revoke a key, effective immediately')
    .argument('<key>', KEY_ARGUMENT)
    .action(revokeKey);
  return command;
}

interface AddOptions {
  readonly name: string;
  readonly scope: string;
  readonly expires?: string;
  readonly limit?: string;
}

async function addKey(accountName: string, options: AddOptions, command: Command): Promise<void> {
  const name = options.name.trim();
  if (name === '')
    throw new CommandError('--name must not be blank: say what the key is for, such as the system that uses it.', 2);
  const scopes = readScopes('--scope', options.scope);
  const now = systemClock.wall();
  const createdAt = new Date(now).toISOString();
  const lifetime = options.expires === undefined ? undefined : readDuration('--expires', options.expires);
  if (lifetime === 0) throw new CommandError(`--expires must not be 0: the key would never work.`, 2);
  const expiresAt = lifetime === undefined ? null : timeAfter(now, lifetime);
  const rateLimit = options.limit === undefined ? null : readKeyLimit('--limit', options.limit);
  await withStore(command, { create: false }, async (store) => {
    const account = await findAccount(store, accountName);
    printResult(await issueKey(store.keys, { account: account.id, name, scopes, createdAt, expiresAt, rateLimit }));
  });
}

async function listKeys(
  accountName: string | undefined,
  { json }: { readonly json?: true },
  command: Command,
): Promise<void> {
  await withStore(command, { create: false, mayBeReadOnly: true }, async (store) => {
    const accounts = accountName === undefined ? await store.accounts.list() : [await findAccount(store, accountName)];
    const nameOf = new Map(accounts.map(({ id, name }) => [id, name]));
    const all = await store.keys.list(accountName === undefined ? undefined : accounts[0]?.id);
    const now = timestamp(systemClock);
    // An account may have been added in between. Sessions come and go: those that have ended are of no interest.
    const keys = all.filter((key) => nameOf.has(key.account) && (key.sessionOf === null || !hasEnded(key, now)));
    if (json) {
      printJsonLines(keys.map((key) => jsonOf(key, nameOf.get(key.account), now)));
      return;
    }
    if (keys.length === 0) {
      const owner = accountName ?? 'ACCOUNT';
      const nobody = accountName === undefined ? 'There are no keys.' : `${accountName} has no keys.`;
      printNote(`${nobody} Issue one with "stockbook key add ${owner} --name LABEL".`);
      return;
    }
    const withAccount = accountName === undefined;
    printTable(
      [
        ...(withAccount ? ['ACCOUNT'] : []),
        'ID',
        'NAME',
        'SCOPES',
        'STATE',
        'CREATED',
        'LAST USED',
        'LIMIT',
        'REPLACED BY',
        'SESSION OF',
      ],
      keys.map((key) => [
        ...(withAccount ? [nameOf.get(key.account) ?? ''] : []),
        key.id,
        key.name,
        key.scopes.join(','),
        stateOf(key, now),
        key.createdAt,
        key.lastUsedAt ?? 'never',
        showKeyLimit(key.rateLimit),
        key.replacedBy ?? '-',
        key.sessionOf ?? '-',
      ]),
    );
  });
}

/** Everything but the hash of its secret. */
function jsonOf(
  { secretHash: _, keyExpiresAt: __, rateLimit: limit, ...key }: StoredKey,
  account: string | undefined,
  now: string,
) {
  return { ...key, account, state: stateOf(key, now), limit };
}

async function replaceKey(key: string, options: { readonly overlap: string }, command: Command): Promise<void> {
  const overlap = readDuration('--overlap', options.overlap);
  await withStore(command, { create: false }, async (store) => {
    const now = systemClock.wall();
    const old = await findActiveKey(store, key, new Date(now).toISOString());
    const issued = await withNote(rotateKey(store.keys, old, now, overlap));
    if (issued === undefined) throw new CommandError(`The key ${old.id} has just been revoked or rotated.`);
    printResult(issued);
    const end = [timeAfter(now, overlap), old.expiresAt].filter((time) => time !== null).toSorted()[0];
    printNote(`The old key, ${old.id}, ${overlap === 0 ? 'is revoked' : `works until ${end}`}.`);
  });
}

async function limitKey(key: string, limit: string, _options: unknown, command: Command): Promise<void> {
  const rateLimit = readKeyLimit('The limit', limit);
  await withStore(command, { create: false }, async (store) => {
    const { id, name } = await findKey(store, key);
    await store.keys.setRateLimit(id, rateLimit);
    printResult(`The limit of the key ${id} (${name}): ${showKeyLimit(rateLimit)}.`);
  });
}

async function revokeKey(key: string, _options: unknown, command: Command): Promise<void> {
  await withStore(command, { create: false }, async (store) => {
    const now = timestamp(systemClock);
    const { id, name } = await findKey(store, key);
    const revoked = await withNote(store.keys.revoke(id, now));
    printResult(`Revoked the key ${id} (${name}).`);
    if (revoked === 'in effect')
      printNote(
        'The database cannot be written to now: another process is writing, or the disk is full. The key no longer works; its entry in the audit trail follows when the service can write.',
      );
  });
}

/** How long a write may take before the command says why, in milliseconds. */
const SILENCE = 2_000;

async function withNote<Result>(write: Promise<Result>): Promise<Result> {
  const note = () => printNote('Waiting for the database: another process may be writing.');
  return write.finally(systemClock.after(SILENCE, note));
}

/** A key that has not been revoked. */
async function findKey(store: Store, text: string): Promise<StoredKey> {
  const found = await store.keys.find(readKey(text)?.id ?? text);
  if (found === undefined)
    throw new CommandError(`There is no key ${readKey(text)?.id ?? text}. "stockbook key list" shows all keys.`);
  const { id, revokedAt } = found.key;
  if (revokedAt !== null) throw new CommandError(`The key ${id} was revoked on ${revokedAt}.`);
  return found.key;
}

/** A key that keeps working unless something is done about it. */
async function findActiveKey(store: Store, text: string, now: string): Promise<StoredKey> {
  const key = await findKey(store, text);
  const help = 'Issue a new one with "stockbook key add".';
  if (key.sessionOf !== null)
    throw new CommandError(`${key.id} is the key of a browser session. It can be revoked, but not rotated.`);
  if (key.scopes.includes('sign-in'))
    throw new CommandError(`${key.id} is the code of a sign-in link. It works once, and cannot be rotated.`);
  if (key.replacedBy !== null)
    throw new CommandError(`The key ${key.id} has already been rotated: ${key.replacedBy} replaces it. ${help}`);
  if (key.expiresAt !== null && key.expiresAt <= now)
    throw new CommandError(`The key ${key.id} expired on ${key.expiresAt}. ${help}`);
  return key;
}

type KeyEnds = Pick<StoredKey, 'scopes' | 'revokedAt' | 'replacedBy' | 'expiresAt'>;

function hasEnded({ revokedAt, expiresAt }: KeyEnds, now: string): boolean {
  return revokedAt !== null || (expiresAt !== null && expiresAt <= now);
}

function stateOf({ scopes, revokedAt, replacedBy, expiresAt }: KeyEnds, now: string): string {
  const isUsed = scopes.includes('sign-in') && replacedBy !== null;
  if (revokedAt !== null && isUsed) return `used ${revokedAt}`;
  if (revokedAt !== null) return `revoked ${revokedAt}`;
  if (expiresAt === null) return 'active';
  if (expiresAt <= now) return `expired ${expiresAt}`;
  const [end, start] = [Date.parse(expiresAt), Date.parse(now)];
  return `active until ${expiresAt}${expiresSoon(end, start) ? `, expires in ${printDuration(end - start)}` : ''}`;
}

function timeAfter(now: number, duration: number): string {
  return new Date(now + duration).toISOString();
}
