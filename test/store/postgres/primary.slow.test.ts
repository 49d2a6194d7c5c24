/** Several hosts in the URL of a PostgreSQL database, of which more than one accepts writes. */

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { readDatabase } from '../../../src/store/database.ts';
import { openStore } from '../../../src/store/open.ts';
import { OwnAgreement } from '../../../src/store/server-agreement.ts';
import type { Store } from '../../../src/store/store.ts';
import { evaluate, onPostgres } from '../../support/engines.ts';
import { addAccount } from '../../support/fixture.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { kill, makeFolder, run, serve } from '../../support/program.ts';
import { sendUnchecked } from '../../support/service.ts';

const urlOf = (...ports: readonly number[]) =>
  `postgres://stockbook@${ports.map((port) => `127.0.0.1:${port}`).join(',')}/postgres`;

async function open(url: string, agreement?: OwnAgreement): Promise<Store> {
  const database = readDatabase(url);
  if (database === undefined) throw new Error(`${url} is not a database`);
  return openStore(database, { create: true, poolSize: 2, statementTimeout: 20, agreement });
}

/** Closed at the end of the test. */
async function opened(url: string, agreement?: OwnAgreement): Promise<Store> {
  const store = await open(url, agreement);
  onTestFinished(() => store.close());
  return store;
}

const outcomeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'ready',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

const terminateAll = (server: PostgresServer) =>
  onPostgres(
    server.url('postgres'),
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'stockbook'",
  );

describe('two servers that have nothing in common', () => {
  let one: PostgresServer;
  let other: PostgresServer;
  beforeAll(async () => {
    [one, other] = await Promise.all([startPostgres(), startPostgres()]);
  });
  afterAll(async () => void (await Promise.all([one, other].map((server) => server.remove()))));

  test('are refused, whichever answers first', async () => {
    for (const ports of [
      [one.port, other.port],
      [other.port, one.port],
    ]) {
      const error = await open(urlOf(...ports)).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'UnusableDatabase' });
      expect(String(error)).toMatch(/accepts writes on .* and on .* They are different databases/);
      for (const port of ports) expect(String(error)).toContain(`127.0.0.1:${port}`);
    }
  });

  test('are refused by the service, which says so once', async () => {
    const folder = makeFolder();
    onTestFinished(folder.remove);
    const flags = ['--port', '0', '--workers', '2', '--database', urlOf(one.port, other.port)];
    const { code, stdout, stderr } = await run(['serve', ...flags], { folder: folder.path });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^stockbook: PostgreSQL accepts writes on .* and on .*\n$/);
  });

  test('stop a service that was running when the second appeared, in all its processes, until it is gone', async () => {
    await other.kill('SIGINT');
    const folder = makeFolder();
    onTestFinished(folder.remove);
    const flags = ['--workers', '2', '--database', urlOf(one.port, other.port)];
    const server = await serve(flags, { folder: folder.path });
    onTestFinished(async () => {
      await kill(server);
    });
    const ready = async () => {
      const { json } = await sendUnchecked(server.adminPort, { path: '/health/ready' });
      return { ready: Object(json).ready, reason: Object(json).reason };
    };
    expect(await ready()).toEqual({ ready: 2 });
    await other.start();
    await terminateAll(one);
    await expect.poll(ready).toEqual({ ready: 0, reason: expect.stringMatching(/accepts writes on .* and on .*/) });
    await other.kill('SIGINT');
    await expect.poll(ready).toEqual({ ready: 2 });
    await other.start();
  });

  test('two names of one server are one server', async () => {
    const store = await opened(`postgres://stockbook@127.0.0.1:${one.port},localhost:${one.port}/postgres`);
    await store.checkReadiness();
  });

  test('everything that agrees on a server uses that one until it is gone', async () => {
    const agreement = new OwnAgreement();
    const first = await opened(urlOf(one.port), agreement);
    const second = await opened(urlOf(one.port), agreement);
    expect(await outcomeOf(open(urlOf(other.port), agreement))).toMatch(/accepts writes on .* and on .*/);
    expect(await outcomeOf(first.checkReadiness())).toBe('ready');
    await one.kill();
    expect(await outcomeOf(second.checkReadiness())).not.toBe('ready');
    const third = await opened(urlOf(other.port), agreement);
    await one.start();
    expect(await outcomeOf(third.checkReadiness())).toBe('ready');
    expect(await outcomeOf(first.checkReadiness())).toMatch(/accepts writes on .* and on .*/);
  });

  test('an address that leads to the other one is noticed with the next connection', async () => {
    let target = one.port;
    const sockets = new Set<Socket>();
    const proxy = createServer((client) => {
      const server = connect(target, '127.0.0.1');
      for (const socket of [client, server]) sockets.add(socket.on('error', () => {}));
      client.pipe(server).pipe(client);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const address = proxy.address();
    const store = await opened(urlOf(typeof address === 'object' && address !== null ? address.port : 0));
    await addAccount(store, 'moved');
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    });
    await (await open(urlOf(other.port))).close();
    const names = async () => (await store.accounts.list()).map(({ name }) => name);
    expect(await names()).toContain('moved');
    target = other.port;
    // Needs a new connection. The one that has been used still leads to the first server.
    expect(await outcomeOf(store.checkReadiness())).toContain('the address leads to another server now');
    expect(await outcomeOf(store.checkReadiness())).toBe('ready');
    expect(await names()).toEqual([]);
  });
});

describe('a standby that was promoted while its primary was running', () => {
  let primary: PostgresServer;
  let standby: PostgresServer;
  beforeAll(async () => {
    primary = await startPostgres();
    await (await open(primary.url('postgres'))).close();
    await primary.kill('SIGINT');
    standby = await primary.startStandby();
    await primary.start();
  });
  afterAll(async () => void (await Promise.all([primary, standby].map((server) => server.remove()))));

  test('is not used, nor is the primary, until one of them is gone', async () => {
    const url = urlOf(primary.port, standby.port);
    const store = await opened(url);
    await store.checkReadiness();
    await onPostgres(standby.url('postgres'), 'SELECT pg_promote()');
    await expect.poll(() => evaluate(standby.url('postgres'), 'pg_is_in_recovery()')).toBe(false);
    expect(await outcomeOf(open(url))).toMatch(/accepts writes on .* and on .* stop the one that was replaced\.$/);
    // A process that was running notices it when it connects again, or looks at the other host.
    await terminateAll(primary);
    await expect.poll(() => outcomeOf(store.checkReadiness())).toMatch(/accepts writes on .* and on .*/);
    await primary.kill('SIGINT');
    await expect.poll(() => outcomeOf(store.checkReadiness())).toBe('ready');
  });
});
