/** What `stockbook serve` does: it puts the parts of the service together. */

import cluster from 'node:cluster';
import { issueKey } from '../access/issue-key.ts';
import { KeyUse } from '../access/key-use.ts';
import { RateLimiter } from '../access/rate-limiter.ts';
import { App } from '../app.ts';
import { DEMO_ACCOUNT, demoAccount } from '../demo/demo.ts';
import type { Emit } from '../events.ts';
import { createService } from '../http/service.ts';
import { logTo } from '../log.ts';
import { stopped } from '../server.ts';
import { showSetting } from '../settings/read.ts';
import { openStore } from '../store/open.ts';
import { SCOPES, type Store } from '../store/store.ts';
import { CommandFailure } from './failure.ts';
import { printNote, printResult } from './output.ts';
import type { CommandSettings } from './setting-flags.ts';
import { version } from './version.ts';
import { freePort, Workers } from './workers.ts';

export async function runService(settings: CommandSettings): Promise<void> {
  const emit = logTo(settings.get('log-level'));
  const store = await openStore(settings.get('database'), {
    create: true,
    poolSize: settings.get('pool-size'),
    statementTimeout: settings.get('statement-timeout'),
    onUpgrade: (upgrade) => emit({ kind: 'database upgraded', ...upgrade }),
  });
  try {
    if (settings.get('workers') > 1 && cluster.isPrimary) await leadWorkers(settings, store, emit);
    else await serveHere(settings, store, emit);
  } finally {
    await store.close();
  }
}

async function leadWorkers(settings: CommandSettings, store: Store, emit: Emit): Promise<void> {
  if (settings.get('demo')) await demoAccount(store, new Date().toISOString());
  const workers = new Workers(emit);
  const host = settings.get('host');
  const port = settings.get('port') || (await freePort(host).catch(tellListenError(host, 0)));
  const isStarted = await workers.start(settings.get('workers'), port);
  // The one that could not has said why.
  if (!isStarted) throw new CommandFailure('The service could not start.');
  const running = workers.run();
  await announce(settings, store, emit, addressOf(host, port));
  await running;
}

async function serveHere(settings: CommandSettings, store: Store, emit: Emit): Promise<void> {
  const [port, host] = [settings.get('port'), settings.get('host')];
  const keyUse = new KeyUse(store.keys, emit);
  try {
    if (settings.get('demo') && cluster.isPrimary) await demoAccount(store, new Date().toISOString());
    const app = new App({
      store,
      keyUse,
      emit,
      limiter: new RateLimiter(settings.get('rate-limit')),
      domain: settings.get('domain'),
      cacheSize: settings.get('cache-size') * 1024 * 1024,
    });
    const service = createService(app, emit);
    const taken = await service.listen({ host, port }).catch(tellListenError(host, port));
    const stop = stopped(service, emit);
    if (cluster.isPrimary) await announce(settings, store, emit, addressOf(host, taken));
    await stop;
  } finally {
    await keyUse.close();
  }
}

function addressOf(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Says where the service listens, once it does. */
async function announce(settings: CommandSettings, store: Store, emit: Emit, address: string): Promise<void> {
  emit({
    kind: 'serving',
    address,
    database: showSetting('database', settings.given('database').text),
    domain: settings.get('domain'),
    version: version(),
  });
  printResult(`Stockbook listens on ${address}${settings.get('demo') ? await demoText(store, address) : ''}`);
  if ((await store.accounts.list()).length === 0) {
    printNote('There are no accounts yet. "stockbook account add NAME" makes one.');
  }
}

/** How long the key of the demo works: one is made at every start. */
const DEMO_KEY_TIME = 30 * 86_400_000;

async function demoText(store: Store, address: string): Promise<string> {
  const now = Date.now();
  const { id } = await demoAccount(store, new Date(now).toISOString());
  const key = await issueKey(store.keys, {
    account: id,
    name: 'demo',
    scopes: SCOPES,
    createdAt: new Date(now).toISOString(),
    expiresAt: new Date(now + DEMO_KEY_TIME).toISOString(),
  });
  const origin = address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  return `

The account "${DEMO_ACCOUNT}" has sample data. Its key, shown once:

  ${key}

Try it:

  curl -H "Authorization: Bearer ${key}" "${origin}/api/v1/inventory/product?filter=name*chair&fields=id,name,list_price&limit=3"`;
}

function tellListenError(host: string, port: number): (error: unknown) => never {
  return (error) => {
    throw explainListenError(error, host, port);
  };
}

function explainListenError(error: unknown, host: string, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'EADDRINUSE':
      return new CommandFailure(
        `Port ${port} on ${host} is in use. Stop what uses it, or choose another with --port ${port + 1}.`,
      );
    case 'EACCES':
      return new CommandFailure(
        `Port ${port} on ${host} may not be used by this user. Choose one above 1023 with --port 8080.`,
      );
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new CommandFailure(`This machine has no address ${host}. Choose another with --host 127.0.0.1.`);
    default:
      return error;
  }
}
