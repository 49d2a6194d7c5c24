/** stockbook account link */

import { Command } from 'commander';
import { LOCAL_DOMAIN } from '../access/host.ts';
import { issueSignInCode, signInLink } from '../access/sign-in.ts';
import { DEFAULT_SCOPES, SCOPES } from '../catalog/scopes.ts';
import { systemClock } from '../schedule/clock.ts';
import { findAccount } from './accounts.ts';
import { CommandError } from './command-error.ts';
import { readDuration } from './duration.ts';
import { printNote, printResult } from './output.ts';
import { readScopes } from './scopes.ts';
import { addSettingFlags, CommandSettings } from './setting-flags.ts';
import { withStore } from './with-store.ts';

/** In milliseconds. */
const LONGEST_LIFETIME = 7 * 86_400_000;

const HELP = `
The link works once. The session that it begins lasts 12 hours, or 30 days if the person chooses to be remembered.
"stockbook key list" shows links and sessions, and "stockbook key revoke" ends them.

Without --url, the link leads to https://NAME.DOMAIN or, with the domain ${LOCAL_DOMAIN}, to http://127.0.0.1:PORT.`;

export function linkCommand(): Command {
  return addSettingFlags(new Command('link'), ['database', 'domain', 'port'])
    .description('print a link that signs in to the console of an account, once')
    .argument('<name>')
    .option(
      '--scope <SCOPES>',
      `what the link permits, separated by commas: ${SCOPES.join(', ')}`,
      DEFAULT_SCOPES.join(','),
    )
    .option('--expires <DURATION>', 'how long the link can be opened: 30m, 12h, 7d at most', '1h')
    .option('--url <URL>', 'where people reach the account, such as https://acme.example.com')
    .addHelpText('after', HELP)
    .action(linkAccount);
}

interface LinkOptions {
  readonly scope: string;
  readonly expires: string;
  readonly url?: string;
}

async function linkAccount(name: string, { scope, expires, url }: LinkOptions, command: Command): Promise<void> {
  const scopes = readScopes('--scope', scope);
  const lifetime = readDuration('--expires', expires);
  if (lifetime === 0 || lifetime > LONGEST_LIFETIME)
    throw new CommandError(`--expires must be at least 1m and at most 7d, not "${expires}".`, 2);
  const origin = url === undefined ? originOf(name, new CommandSettings(command)) : readOrigin(url);
  await withStore(command, { create: false }, async (store) => {
    const { id } = await findAccount(store, name);
    const now = systemClock.wall();
    printResult(signInLink(origin, await issueSignInCode(store.keys, id, now, { scopes, lifetime })));
    printNote(`It signs in to ${name} once, until ${new Date(now + lifetime).toISOString()}.`);
  });
}

/** Where browsers reach an account: over TLS, which ends in a proxy, unless it is on this machine. */
function originOf(account: string, settings: CommandSettings): string {
  const domain = settings.get('domain');
  return domain === LOCAL_DOMAIN ? `http://127.0.0.1:${settings.get('port')}` : `https://${account}.${domain}`;
}

function readOrigin(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin;
  throw new CommandError(`--url must be an address such as https://acme.example.com, not "${text}".`, 2);
}
