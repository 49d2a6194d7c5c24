/** stockbook serve */

import { Command } from 'commander';
import { issueKey } from '../access/issue-key.ts';
import { KeyUse } from '../access/key-use.ts';
import { App } from '../app.ts';
import { DEMO_ACCOUNT, demoAccount } from '../demo/demo.ts';
import { createService } from '../http/service.ts';
import { logTo } from '../log.ts';
import { listen, stopped } from '../server.ts';
import { openStore } from '../store/open.ts';
import { SCOPES, type Store } from '../store/store.ts';
import { CommandFailure } from './failure.ts';
import { printResult } from './output.ts';
import { addSettingFlags, CommandSettings } from './setting-flags.ts';

export function serveCommand(): Command {
  return addSettingFlags(new Command('serve'), ['port', 'host', 'database', 'domain', 'demo', 'log-level'])
    .description('serve the accounts of a database over HTTP')
    .action(serve);
}

async function serve(_options: unknown, command: Command): Promise<void> {
  const settings = new CommandSettings(command);
  const [port, host, domain, isDemo] = [
    settings.get('port'),
    settings.get('host'),
    settings.get('domain'),
    settings.get('demo'),
  ];
  const emit = logTo(settings.get('log-level'));
  const store = await openStore(settings.get('database'), { create: true });
  const keyUse = new KeyUse(store.keys, emit);
  try {
    const key = isDemo ? await demoKey(store) : undefined;
    const service = createService(new App({ store, keyUse, domain }), emit);
    const address = await listen(service, { host, port }).catch((error: unknown) => {
      throw explainListenError(error, host, port);
    });
    printResult(`Stockbook listens on ${address}${key === undefined ? '' : demoText(address, key)}`);
    await stopped(service, emit);
  } finally {
    await keyUse.close();
    await store.close();
  }
}

/** How long the key of the demo works: one is made at every start. */
const DEMO_KEY_TIME = 30 * 86_400_000;

async function demoKey(store: Store): Promise<string> {
  const now = Date.now();
  const createdAt = new Date(now).toISOString();
  const { id } = await demoAccount(store, createdAt);
  const expiresAt = new Date(now + DEMO_KEY_TIME).toISOString();
  return issueKey(store.keys, { account: id, name: 'demo', scopes: SCOPES, createdAt, expiresAt });
}

function demoText(address: string, key: string): string {
  return `

The account "${DEMO_ACCOUNT}" has sample data. Its key, shown once:

  ${key}

Try it:

  curl -H "Authorization: Bearer ${key}" "${address}/api/v1/inventory/product?filter=name*chair&fields=id,name,list_price&limit=3"`;
}

function explainListenError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return new CommandFailure(
        `Port ${port} on ${host} is in use. Stop what uses it, or choose another: stockbook serve --port ${port + 1}`,
      );
    case 'EACCES':
      return new CommandFailure(
        `Port ${port} on ${host} may not be used by this user. Choose one above 1023: stockbook serve --port 8080`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new CommandFailure(
        `This machine has no address ${host}. Choose another: stockbook serve --host 127.0.0.1`,
      );
    default:
      return error;
  }
}
