/** stockbook mirror odoo */

import { Command } from 'commander';
import { Account, type AccountField } from '../../connectors/mirror/account.ts';
import { trustAuthorities } from '../../connectors/mirror/certificates.ts';
import { MappingError, mirroredModels, typeFor } from '../../connectors/odoo/mapping.ts';
import {
  fieldsOf,
  type MirrorOptions,
  mirrorForever,
  OdooMirror,
  openReader,
  warningsAbout,
} from '../../connectors/odoo/mirror-odoo.ts';
import { type DifferingField, TooManyRemoved } from '../../connectors/odoo/model-mirror.ts';
import { OdooError } from '../../connectors/odoo/odoo-error.ts';
import { ForeignPosition } from '../../connectors/odoo/position.ts';
import { PAGE_SIZE } from '../../connectors/odoo/reader.ts';
import { silentReason } from '../../connectors/odoo/silent-changes.ts';
import { visibleText } from '../../problem/visible-text.ts';
import { CommandError } from '../command-error.ts';
import { readText } from '../files.ts';
import { count, printTable } from '../output.ts';
import { checkedUrl, readKeyFile } from '../over-http.ts';
import { readMapping, readPair } from './field-pairs.ts';
import { checkedResources, listed, type MirrorRun, RESOURCES_HELP, runMirror, warnOfExpiry } from './run-mirror.ts';

interface Options {
  readonly odooUrl: string;
  readonly odooDb: string;
  readonly odooKeyFile: string;
  readonly odooUser?: string;
  readonly odooCaFile?: string;
  readonly url: string;
  readonly keyFile: string;
  readonly resource?: readonly string[];
  readonly field?: readonly string[];
  readonly mapping?: string;
  readonly lang?: string;
  readonly company?: readonly string[];
  readonly source: string;
  readonly interval: string;
  readonly overlap: string;
  readonly removalInterval: string;
  readonly compareEvery: string;
  readonly requestsPerSecond: string;
  readonly once?: true;
  readonly confirmRemovals?: true;
  readonly odooMoved?: true;
}

/** Odoo ends requests after two minutes, so no transaction of one is longer. */
const MIN_OVERLAP = 120;

const SAME_OPTIONS = `
It needs the options that the mirror is run with: "stockbook help mirror odoo" lists them.`;

export function odooCommand(): Command {
  const odoo = new Command('odoo')
    .description('keep an account equal to an Odoo database: products, partners and companies')
    .requiredOption('--odoo-url <URL>', 'the address of Odoo, such as https://acme.odoo.com')
    .requiredOption('--odoo-db <NAME>', 'the name of its database')
    .requiredOption('--odoo-key-file <FILE>', 'a file with an API key of a user of Odoo')
    .option('--odoo-ca-file <FILE>', 'a PEM file with the authority that has signed its certificate, if it is your own')
    .option('--odoo-user <LOGIN>', "the login of the key's user, which Odoo 17 and 18 need")
    .requiredOption('--url <URL>', 'the address of the account in Stockbook')
    .requiredOption('--key-file <FILE>', 'a file with an API key of the account, which needs the scopes read and edit')
    .option('--resource <LIST>', RESOURCES_HELP, listed)
    .option('--field <LIST>', 'further fields, such as x_weight=weight,partner.x_site=website', listed)
    .option('--mapping <FILE>', 'a file with such pairs, one in a line; what begins with # is a comment')
    .option('--lang <CODE>', 'the language of names, such as de_DE; en_US by default')
    .option('--company <LIST>', 'the ids of the companies of Odoo to read; all of the user by default', listed)
    .option('--source <NAME>', 'what the names of the sources begin with', 'odoo')
    .option('--interval <SECONDS>', 'the pause between two rounds', '15')
    .option('--overlap <SECONDS>', `how far to look back behind the latest write, at least ${MIN_OVERLAP}`, '180')
    .option('--removal-interval <SECONDS>', 'how often to look for removed records', '300')
    .option('--compare-every <SECONDS>', 'how often to compare everything', '86400')
    .option('--requests-per-second <NUMBER>', 'how many requests to send to Odoo at most', '5')
    .option('--once', 'compare everything, bring the account up to date, and exit')
    .option(
      '--confirm-removals',
      'remove records even if many are not in Odoo any more, or if no mirror has written them',
    )
    .option('--odoo-moved', 'the same Odoo had another address before')
    .addHelpText(
      'after',
      `
The first time, everything is copied. It can be stopped at any time, and goes on where it was.

  stockbook mirror odoo --odoo-url https://acme.odoo.com --odoo-db acme --odoo-key-file odoo.key \\
    --url https://acme.stockbook.example --key-file stockbook.key
  stockbook mirror odoo verify …     compare everything, and report what differs
  stockbook mirror odoo fields …     list Odoo's fields, and how to add those that Stockbook does not have`,
    )
    .action(run);
  odoo
    .command('verify')
    .description('compare everything, field by field, and report what differs; nothing is changed')
    .addHelpText('after', SAME_OPTIONS)
    .action(runVerify);
  odoo
    .command('fields')
    .description('list the fields of Odoo, and the commands that add those that Stockbook does not have')
    .option('--json', 'print every field as a line of JSON')
    .addHelpText('after', SAME_OPTIONS)
    .action(runFields);
  return odoo;
}

async function run(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>();
  await withOptions(options, options.once !== true, async (mirror) => {
    if (options.once) {
      const refused = await (await OdooMirror.open(mirror)).compare();
      const except = refused === 0 ? '' : `, except for ${count(refused, 'record', 'records')} that it cannot hold`;
      mirror.result(`The account is up to date${except}.`);
    } else {
      mirror.log.event(`Mirroring ${options.odooUrl} to ${options.url}.`);
      await mirrorForever(mirror);
      mirror.log.event('Stopped.');
    }
  });
}

/** How many differences are shown one by one. */
const MAX_SHOWN = 100;

async function runVerify(_: unknown, command: Command): Promise<void> {
  await withOptions(command.optsWithGlobals<Options>(), false, async (mirror) => {
    let differences = 0;
    let refused = 0;
    for await (const { resource, id, kind, fields, refusal } of (await OdooMirror.open(mirror)).differences()) {
      if (refusal === undefined) differences += 1;
      else refused += 1;
      if (differences + refused > MAX_SHOWN) continue;
      const words = {
        missing: 'is missing in the account',
        surplus: 'is not in Odoo',
        different: `differs in ${fields.map(inWords).join('; ')}`,
      };
      mirror.result(
        `${resource} ${id} ${refusal === undefined ? words[kind] : `cannot be held by the account: ${refusal}`}`,
      );
    }
    if (differences + refused > MAX_SHOWN) mirror.result(`… and ${differences + refused - MAX_SHOWN} more`);
    const held = count(refused, 'record that the account cannot hold', 'records that the account cannot hold');
    if (differences > 0)
      throw new CommandError(
        `${count(differences, 'record differs', 'records differ')} between Odoo and the account${refused === 0 ? '' : `, besides ${held}`}. To repair this, run the mirror with the same options and --once: it compares everything, and sends what differs.`,
      );
    mirror.result(`Odoo and the account are equal${refused === 0 ? '' : `, except for ${held}`}.`);
  });
}

/** `name: "Oak chair" in Odoo, "Chair" in the account` */
function inWords({ name, odoo, account }: DifferingField): string {
  return `${name}: ${shortened(odoo)} in Odoo, ${shortened(account)} in the account`;
}

/** The longest value that is shown, in characters. */
const MAX_VALUE = 100;

function shortened(value: unknown): string {
  const json = visibleText(JSON.stringify(value) ?? 'nothing');
  return json.length > MAX_VALUE ? `${json.slice(0, MAX_VALUE).toWellFormed()}…` : json;
}

async function runFields({ json }: { readonly json?: true }, command: Command): Promise<void> {
  await withOptions(command.optsWithGlobals<Options>(), false, async (mirror) => {
    const reader = await openReader(mirror);
    const rows = [];
    const existing = await new Account(mirror.account, mirror.signal, mirror.clock).fields();
    for (const mirrored of mirroredModels.filter((each) => mirror.resources.includes(each.resource))) {
      const { resource, quantity, rules } = mirrored;
      const fields = await fieldsOf(reader, mirrored);
      for (const warning of warningsAbout(mirrored, fields, mirror)) mirror.log.warning(warning);
      for (const { name, type, label } of fields.own) {
        const isBuiltIn = name === 'id' || name === quantity || rules.some(({ from }) => from.includes(name));
        const pair = mirror.added.find((each) => each.resource === resource && each.odoo === name);
        const own = typeFor(type);
        const proposal = own === undefined ? 'cannot be mirrored' : proposalFor(resource, name, own, label, existing);
        const use = pair === undefined ? (isBuiltIn ? 'mirrored' : proposal) : `mirrored as ${pair.field}`;
        // On hand, it follows moves.
        const silent = name === quantity ? undefined : silentReason(name, fields);
        const seen = silent === undefined ? 'at once' : `when everything is compared: ${silent}`;
        rows.push({ resource, field: name, type, label, seen, use });
      }
    }
    if (json) for (const row of rows) mirror.result(JSON.stringify(row));
    else
      printTable(
        ['RESOURCE', 'FIELD IN ODOO', 'TYPE', 'LABEL', 'CHANGES ARE SEEN', 'USE'],
        rows.map(({ resource, field, type, label, seen, use }) => [resource, field, type, label, seen, use]),
      );
  });
}

function proposalFor(
  resource: string,
  name: string,
  type: string,
  label: string,
  existing: readonly AccountField[],
): string {
  const own = name.startsWith('x_') ? name : `x_${name}`;
  const flag = `--field ${resource}.${own}=${name}`;
  if (existing.some((field) => field.resource === resource && field.name === own)) return flag;
  return `stockbook field add ${resource} ${own} ${type} --label '${label.replaceAll("'", '’')}'; ${flag}`;
}

const EXPECTED = [OdooError, MappingError, TooManyRemoved, ForeignPosition];

async function withOptions(
  options: Options,
  isEndless: boolean,
  body: (mirror: MirrorOptions & MirrorRun) => Promise<void>,
): Promise<void> {
  if (options.odooCaFile !== undefined) trustAuthoritiesIn(options.odooCaFile);
  await runMirror({ isEndless, expected: EXPECTED }, (given) =>
    body({
      ...given,
      odoo: {
        url: checkedUrl('--odoo-url', options.odooUrl).replace(/\/?$/, '/'),
        database: options.odooDb,
        key: readKeyFile(options.odooKeyFile),
        login: options.odooUser,
      },
      account: {
        url: checkedUrl('--url', options.url),
        key: readKeyFile(options.keyFile),
        onKeyExpiring: warnOfExpiry(given.log, '--key-file'),
      },
      resources: checkedResources(options.resource),
      added: [
        ...(options.field ?? []).map((text) => readPair('--field', text)),
        ...(options.mapping === undefined ? [] : readMapping(options.mapping)),
      ],
      language: options.lang,
      companies: (options.company ?? []).map(companyId),
      requestsPerSecond: positive('--requests-per-second', options.requestsPerSecond),
      interval: positive('--interval', options.interval, { max: 86_400 }),
      overlap: positive('--overlap', options.overlap, { min: MIN_OVERLAP }),
      removalInterval: positive('--removal-interval', options.removalInterval),
      comparisonInterval: positive('--compare-every', options.compareEvery),
      source: options.source,
      confirmRemovals: options.confirmRemovals ?? false,
      mayHaveMoved: options.odooMoved ?? false,
      pageSize: PAGE_SIZE,
    }),
  );
}

function trustAuthoritiesIn(path: string): void {
  if (!trustAuthorities(readText(path)))
    throw new CommandError(`${path} has no certificate that can be read: --odoo-ca-file must be a PEM file.`);
}

function companyId(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new CommandError(`--company must be ids such as 1,3, not "${text}".`, 2);
}

function positive(flag: string, text: string, { min = 0, max = 1e9 } = {}): number {
  const number = /^\d{1,9}(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (number > 0 && number >= min && number <= max) return number;
  throw new CommandError(
    `${flag} must be a number ${min > 0 ? `of at least ${min}` : `above 0, and at most ${max}`}, not "${text}".`,
    2,
  );
}
