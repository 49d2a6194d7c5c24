/** stockbook audit */

import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { nearest } from '../problem/nearest.ts';
import { visibleText } from '../problem/visible-text.ts';
import { systemClock } from '../schedule/clock.ts';
import { type AuditAction, type AuditEntry, auditActions } from '../store/audit.ts';
import { CommandError } from './command-error.ts';
import { readDuration } from './duration.ts';
import { printNote, Table } from './output.ts';
import { addSettingFlags } from './setting-flags.ts';
import { withStore } from './with-store.ts';

const ACTIONS = Object.keys(auditActions).filter((name): name is AuditAction => Object.hasOwn(auditActions, name));

interface Options {
  readonly account?: string;
  readonly action?: string;
  readonly since?: string;
  readonly limit: string;
  readonly json?: true;
}

export function auditCommand(): Command {
  return addSettingFlags(new Command('audit'), ['database'])
    .description('show who changed accounts, keys and imported records, when and from where')
    .option('--account <NAME>', 'only entries about this account, which need not exist any more')
    .option('--action <ACTION>', `only entries of this action: ${ACTIONS.join(', ')}`)
    .option('--since <DURATION>', 'only entries of the last 30m, 12h, 90d, 2w, 1y')
    .option('--limit <NUMBER>', 'the number of entries, the newest ones; 0 means all', '50')
    .option('--json', 'print every entry as a line of JSON')
    .addHelpText(
      'after',
      `
The newest entry comes last.

  stockbook audit --account acme --since 30d
  stockbook audit --action "key issued" --limit 0 --json`,
    )
    .action(showAudit);
}

async function showAudit(options: Options, command: Command): Promise<void> {
  const limit = readLimit(options.limit);
  const query = {
    account: options.account,
    action: options.action === undefined ? undefined : chooseAction(options.action),
    since:
      options.since === undefined
        ? undefined
        : new Date(systemClock.wall() - readDuration('--since', options.since)).toISOString(),
    limit: limit === 0 ? undefined : limit,
  };
  await withStore(command, { create: false, mayBeReadOnly: true }, async (store) => {
    const entries = store.audit.entries(query);
    // The trail may be long: no more of it is read than the reader of the output takes.
    await pipeline(options.json ? asJson(entries) : asTable(entries), process.stdout, { end: false });
  });
}

type Batches = AsyncIterable<readonly AuditEntry[]>;

async function* asTable(batches: Batches): AsyncIterable<string> {
  const table = new Table(['TIME', 'ACTOR', 'ORIGIN', 'ACTION', 'ACCOUNT', 'DETAILS']);
  let isEmpty = true;
  for await (const entries of batches) {
    isEmpty = false;
    yield table.text(entries.map(cellsOf));
  }
  if (isEmpty) printNote('There are no entries.');
}

async function* asJson(batches: Batches): AsyncIterable<string> {
  for await (const entries of batches) yield entries.map((entry) => `${visibleText(jsonOf(entry))}\n`).join('');
}

function jsonOf({ details, ...entry }: AuditEntry): string {
  return JSON.stringify({ ...entry, details: membersOf(details) ?? details });
}

/** Undefined if it is not a JSON object: somebody else wrote the entry. */
function membersOf(details: string): object | undefined {
  try {
    const value: unknown = JSON.parse(details);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function cellsOf({ at, actor, origin, action, account, details }: AuditEntry): readonly string[] {
  return [at, actor, origin, action, account ?? '-', detailsText(details)];
}

/** `key=k1 name="Web shop" expiresAt=null` */
function detailsText(details: string): string {
  const members = membersOf(details);
  if (members === undefined) return details;
  return Object.entries(members)
    .map(([name, value]) => `${name}=${isWord(value) ? value : JSON.stringify(value)}`)
    .join(' ');
}

function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^[\w.:/-]+$/.test(value);
}

function chooseAction(name: string): AuditAction {
  const action = ACTIONS.find((known) => known === name);
  if (action !== undefined) return action;
  const meant = nearest(name, ACTIONS);
  const help = meant === undefined ? `The actions are ${ACTIONS.join(', ')}.` : `Did you mean "${meant}"?`;
  throw new CommandError(`--action: there is no action "${name}". ${help}`, 2);
}

function readLimit(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new CommandError(`--limit must be a whole number, not "${text}".`, 2);
}
