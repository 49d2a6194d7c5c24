/** stockbook watch */

import { Command } from 'commander';
import { StockbookError } from '../../client/index.ts';
import { importFormats } from '../../import/import-formats.ts';
import { RULES_FILE } from '../../import/words.ts';
import { MAX_SOURCE_NAME } from '../../plan/import.ts';
import { systemClock } from '../../schedule/clock.ts';
import { storageSettings } from '../../settings/storage.ts';
import { findAccount } from '../accounts.ts';
import { CommandError } from '../command-error.ts';
import { EventLog } from '../event-log.ts';
import { statsOf } from '../files.ts';
import { abortWhenInterrupted } from '../interruption.ts';
import { checkedUrl, readKeyFile } from '../over-http.ts';
import { RESOURCE_NAMES } from '../resources.ts';
import { addSettingFlags } from '../setting-flags.ts';
import { withStore } from '../with-store.ts';
import { type Destination, Obstacle } from './destination.ts';
import { HttpDestination } from './http-destination.ts';
import { StoreDestination } from './store-destination.ts';
import { InvalidRules, readRules } from './watch-rules.ts';
import { WatchedFolder } from './watched-folder.ts';
import { Watcher } from './watcher.ts';

/** How long a file must not have changed by default, in seconds. */
const SETTLE = 5;
const MAX_SETTLE = 3_600;

/** How often a service that is unavailable at the start is asked again, in milliseconds. */
const RECONNECT_INTERVAL = 5_000;

interface Options {
  readonly url?: string;
  readonly keyFile?: string;
  readonly source: string;
  readonly settle: string;
  readonly once?: true;
  readonly database?: string;
}

export function watchCommand(): Command {
  return addSettingFlags(new Command('watch'), ['database', ...storageSettings])
    .description('import files that appear in a folder, each exactly once, and move them to done/ or failed/')
    .argument('<account>')
    .argument('<folder>')
    .option('--url <URL>', 'import over HTTP, into the account that is served there, instead of opening the database')
    .option('--key-file <FILE>', 'a file with an API key for --url, which needs the scope edit')
    .option('--source <NAME>', 'what the names of the sources begin with; another one for every folder', 'watch')
    .option('--settle <SECONDS>', 'how long a file must not have changed before it is imported', String(SETTLE))
    .option('--once', 'import what is there, and exit')
    .addHelpText(
      'after',
      `
Files whose names begin with ${RESOURCE_NAMES.join(', ')} and end with ${extensions()}, optionally followed by .gz or .zst,
are imported into that resource, the oldest first. ${RULES_FILE} in the folder can say something else: which names, which
resource, which key, which columns. All rows of a file are imported, or none: then it is moved to failed/, with a text that says why.

  stockbook watch acme /srv/erp-exports
  stockbook watch acme /srv/erp-exports --url https://acme.example.com --key-file /etc/stockbook-watch.key
  stockbook watch acme /srv/erp-exports --once`,
    )
    .action(runWatch);
}

function extensions(): string {
  return importFormats.flatMap((format) => format.extensions).join(', ');
}

async function runWatch(account: string, path: string, options: Options, command: Command): Promise<void> {
  const settle = readSettle(options.settle);
  checkSource(options.source);
  checkFolder(path);
  const log = new EventLog();
  const { signal, end } = abortWhenInterrupted();
  const watch = async (destination: Destination) => {
    await checkRules(path, destination, signal);
    const folder = new WatchedFolder(path, systemClock);
    const { source: sourcePrefix } = options;
    const watcher = new Watcher({
      folder,
      destination,
      account,
      sourcePrefix,
      settle,
      log,
      signal,
      clock: systemClock,
    });
    await (options.once ? loadOnce(watcher, signal) : loadForever(watcher, `${path} for files of ${account}`, log));
  };
  try {
    if (options.url === undefined) await watchWithStore(account, options, command, watch);
    else await watchOverHttp(options.url, account, options, { log, signal }, watch);
  } finally {
    end();
  }
}

async function loadOnce(watcher: Watcher, signal: AbortSignal): Promise<void> {
  const isComplete = await watcher.once();
  if (signal.aborted) throw new CommandError('Interrupted. The rest is imported the next time.');
  if (!isComplete) throw new CommandError('Not all files could be imported.');
}

async function loadForever(watcher: Watcher, what: string, log: EventLog): Promise<void> {
  log.event(`Watching ${what}.`);
  await watcher.run();
  log.event('Stopped.');
}

type Watch = (destination: Destination) => Promise<void>;

async function watchWithStore(account: string, { keyFile }: Options, command: Command, watch: Watch): Promise<void> {
  if (keyFile !== undefined) throw new CommandError('--key-file is for --url, which is missing.', 2);
  await withStore(command, { create: false, isPatient: true }, async (store) =>
    watch(new StoreDestination(store, await findAccount(store, account), systemClock)),
  );
}

async function watchOverHttp(
  url: string,
  account: string,
  { database, keyFile, once }: Options,
  { log, signal }: { readonly log: EventLog; readonly signal: AbortSignal },
  watch: Watch,
): Promise<void> {
  if (database !== undefined) throw new CommandError('Use either --url or --database, not both.', 2);
  const destination = new HttpDestination({
    url: checkedUrl('--url', url),
    key: readKey(keyFile),
    onKeyExpiring: (time) => log.warning(`The key expires at ${time.toISOString()}. Issue another one.`),
    clock: systemClock,
  });
  await checkAccount(destination, account, { log, signal, isPatient: once !== true });
  if (!signal.aborted) await watch(destination);
}

/** In milliseconds. */
function readSettle(text: string): number {
  const seconds = /^\d{1,4}(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (seconds <= MAX_SETTLE) return seconds * 1_000;
  throw new CommandError(`--settle must be a number of seconds up to ${MAX_SETTLE}, not "${text}".`, 2);
}

function checkSource(name: string): void {
  const longest = Math.max(...RESOURCE_NAMES.map((resource) => Buffer.byteLength(`${name}:${resource}`)));
  if (name.trim() === '' || longest > MAX_SOURCE_NAME)
    throw new CommandError(`--source must be a name, and not longer than ${MAX_SOURCE_NAME} bytes.`, 2);
}

/** Later, a folder that is missing may come back. At the start, it is probably a mistake. */
function checkFolder(path: string): void {
  if (!statsOf(path)?.isDirectory()) throw new CommandError(`${path} is not a folder.`);
}

/** So are rules that cannot be applied. If nobody can tell, it is tried again later. */
async function checkRules(path: string, destination: Destination, signal: AbortSignal): Promise<void> {
  const catalog = await destination.catalog(signal);
  const rules = catalog instanceof Obstacle ? undefined : await readRules(path, catalog);
  if (rules instanceof InvalidRules) throw new CommandError(rules.message);
}

function readKey(path: string | undefined): string {
  if (path === undefined)
    throw new CommandError('--url needs --key-file FILE: a file with a key, from "stockbook key add --scope edit".', 2);
  return readKeyFile(path);
}

/** The key must be one of the account. Waits for a service that is unavailable, if it is patient: both may have just been started. */
async function checkAccount(
  destination: HttpDestination,
  account: string,
  { log, signal, isPatient }: { log: EventLog; signal: AbortSignal; isPatient: boolean },
): Promise<void> {
  while (!signal.aborted) {
    try {
      const { name } = (await destination.me(signal)).account;
      if (name === account) return;
      throw new CommandError(`The key is one of the account ${name}, not of ${account}.`);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof StockbookError)) throw error;
      if (!error.isTemporary || !isPatient) throw new CommandError(error.message);
      log.obstacle('service', `The service is unavailable: ${error.message}`);
    }
    await systemClock.pause(RECONNECT_INTERVAL, signal);
  }
}
