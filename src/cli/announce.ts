/** What `stockbook serve` prints once it accepts connections. */

import { LOCAL_DOMAIN } from '../access/host.ts';
import { issueKey } from '../access/issue-key.ts';
import { issueSignInCode, signInLink } from '../access/sign-in.ts';
import { DEFAULT_SCOPES } from '../catalog/scopes.ts';
import { DEMO_ACCOUNT, demoAccount } from '../demo/demo.ts';
import type { Emit } from '../observe/events.ts';
import type { Addresses } from '../process/serve.ts';
import { systemClock } from '../schedule/clock.ts';
import { showSetting } from '../settings/read.ts';
import { settingNames, settings } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';
import { version } from '../version.ts';
import { printHint, printResult } from './output.ts';
import type { CommandSettings } from './setting-flags.ts';

export async function announce(
  current: CommandSettings,
  { address, adminAddress }: Addresses,
  store: Store,
  emit: Emit,
): Promise<void> {
  emit({
    kind: 'listening',
    address,
    adminAddress,
    database: showSetting('database', current.raw('database').text),
    domain: current.get('domain'),
    version: version(),
    settings: changedSettings(current),
  });
  const demo = current.get('demo') ? await demoLines(store, demoOrigin(address, current.get('domain'))) : [];
  printResult(`Stockbook is listening on ${address}`, `Metrics and health checks are at ${adminAddress}`, ...demo);
  // The service works without this hint, even if the database is not available at the moment.
  const isEmpty = await store.accounts.isEmpty().catch(() => false);
  // Otherwise stderr has the log, which programs read.
  if (isEmpty) printHint('There are no accounts yet. Add one with "stockbook account add NAME".');
}

/** Undefined if all have their defaults. */
function changedSettings(current: CommandSettings): string | undefined {
  const changed = settingNames.filter((name) => current.raw(name).text !== settings[name].fallback);
  if (changed.length === 0) return undefined;
  return changed.map((name) => `${name}=${showSetting(name, current.raw(name).text)}`).join(' ');
}

/** The lifetime of a demo key in milliseconds. Every start issues one. */
const DEMO_KEY_LIFETIME = 30 * 86_400_000;

/** Where the demo can be reached from this machine. */
function demoOrigin(address: string, domain: string): string {
  const { port } = new URL(address);
  if (domain !== LOCAL_DOMAIN) return `http://${DEMO_ACCOUNT}.${domain}:${port}`;
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

async function demoLines(store: Store, origin: string): Promise<readonly string[]> {
  const now = systemClock.wall();
  const { id } = await demoAccount(store, new Date(now).toISOString());
  const key = await issueKey(store.keys, {
    account: id,
    name: 'demo',
    scopes: DEFAULT_SCOPES,
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(now + DEMO_KEY_LIFETIME).toISOString(),
  });
  const code = await issueSignInCode(store.keys, id, now);
  return `
The account "${DEMO_ACCOUNT}" has sample data. Its key, shown once:

  ${key}

Try it:

  curl -H "Authorization: Bearer ${key}" "${origin}/api/v1/inventory/product?filter=name*chair&fields=id,name,list_price&limit=3"

Read how, and send requests from the browser:

  ${origin}/docs

See the data in the console. This link signs you in; it works once, within an hour:

  ${signInLink(origin, code)}`.split('\n');
}
