/** The admin address of the real program: the numbers of all workers. */

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { aboveStore } from '../support/above-store.ts';
import { commands } from '../support/commands.ts';
import { openDatabase } from '../support/engines.ts';
import { addAccount } from '../support/fixture.ts';
import { portsOf } from '../support/listeners.ts';
import { childOf, childrenOf, kill, type Serving, serve, start } from '../support/program.ts';
import { PRODUCTS } from '../support/rows.ts';
import { bearer, send, sendUnchecked } from '../support/service.ts';
import { sharedFolder } from '../support/shared.ts';

const folder = sharedFolder();
let server: Serving;
let key: string;
beforeAll(async () => {
  await commands.run(['account', 'add', 'acme'], { folder: folder.path });
  key = (await commands.run(['key', 'add', 'acme', '--name', 'test'], { folder: folder.path })).stdout.trim();
  server = await serve(['--workers', '2'], { folder: folder.path });
});
afterAll(() => kill(server));

const admin = async (path: string) => {
  const { status, text, json } = await sendUnchecked(server.adminPort, { path });
  return { status, text, json: Object(json) };
};

const valueIn = async (series: string) => {
  const line = (await admin('/metrics')).text.split('\n').find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
};

// Only Linux says which ports a process has opened.
describe.skipIf(process.platform !== 'linux').each(aboveStore)('while it starts on $name', (engine) => {
  test.each([1, 2])('with --workers %d, it is not ready, says why, and logs no error', async (workers) => {
    const database = await engine.makeMigrated();
    onTestFinished(() => database.drop());
    const store = await openDatabase(database.url);
    await addAccount(store, 'demo');
    await store.close();
    // What --demo adds cannot be written before this is released.
    const release = await database.holdWrites();
    const starting = start(
      ['serve', '--port', '0', '--workers', String(workers), '--database', database.url, '--demo'],
      { folder: folder.path },
    );
    onTestFinished(async () => {
      starting.child.kill('SIGTERM');
      await starting.finished;
    });
    // Its admin address comes first, and is printed last.
    await expect.poll(() => portsOf(starting.child.pid)).toHaveLength(1);
    const [adminPort = 0] = portsOf(starting.child.pid);
    const probe = async () => {
      const { status, json } = await sendUnchecked(adminPort, { path: '/health/ready' });
      const { ready, reason } = Object(json);
      return `${status} ${ready} ${reason}`;
    };
    const replies = new Set([await probe()]);
    await release();
    const isReady = async () => {
      replies.add(await probe());
      return replies.has(`200 ${workers} undefined`) && starting.output().stdout.includes('is listening');
    };
    await expect.poll(isReady).toBe(true);
    const [first, ...others] = replies;
    expect(first).toBe('503 0 the service is starting');
    expect(others.filter((reply) => !reply.startsWith('200 '))).toEqual([]);
    expect(starting.output().stderr).not.toContain('"msg":"not ready"');
  });
});

const LISTS = `stockbook_http_requests_total{route="${PRODUCTS}",method="GET",status_class="2xx"}`;

test('the numbers of all workers are one', async () => {
  // Each has a connection of its own, and workers get them round-robin.
  for (let n = 0; n < 10; n += 1)
    expect(await send(server.port, { path: PRODUCTS, headers: bearer(key) })).toRespond(200);
  await expect.poll(() => valueIn(LISTS)).toBe(10);
  expect(await valueIn('stockbook_workers')).toBe(2);
  expect(await admin('/health/ready')).toMatchObject({ status: 200, json: { status: 'ok', ready: 2, workers: 2 } });
  expect((await admin('/status')).json).toMatchObject({
    workers: { responsive: 2, unresponsive: 0 },
    accounts: [{ account: 'acme', revisions: { product: 0 } }],
  });
  const top = ['top', '--admin-url', `http://127.0.0.1:${server.adminPort}`];
  expect((await commands.run(top, { folder: folder.path })).stdout).toMatch(
    /^Stockbook .*, 2 workers\n[\s\S]*\nACCOUNT .*\nacme .* product 0/,
  );
});

test('any number of concurrent probes is one question to each worker', async () => {
  const probes = Array.from({ length: 40 }, () => admin('/health/ready'));
  for (const { json } of await Promise.all(probes)) expect(json).toEqual({ status: 'ok', ready: 2, workers: 2 });
  // Node would warn about listeners that pile up.
  expect(server.output().stderr).not.toContain('Warning');
});

test('a worker that hangs is left out, and counters do not shrink when it is replaced', async () => {
  const victim = childOf(server);
  process.kill(victim, 'SIGSTOP');
  await expect.poll(() => valueIn('stockbook_workers_unresponsive')).toBe(1);
  expect(await valueIn('stockbook_workers')).toBe(1);
  expect(await valueIn(LISTS)).toBe(10);
  expect(await admin('/health/ready')).toMatchObject({ status: 200, json: { ready: 1, workers: 2 } });
  process.kill(victim, 'SIGKILL');
  await expect.poll(() => valueIn('stockbook_events_total{event="worker exited"}')).toBe(1);
  expect(await valueIn(LISTS)).toBe(10);
  await expect.poll(async () => (await admin('/health/ready')).json.ready).toBe(2);
  expect(await valueIn(LISTS)).toBe(10);
});

test('while all workers are replaced, it is not ready, and says so', async () => {
  for (const pid of childrenOf(server)) process.kill(pid, 'SIGKILL');
  const reply = async () => {
    const { status, json } = await admin('/health/ready');
    return `${status} ${json.reason}`;
  };
  await expect.poll(reply, { interval: 10 }).toBe('503 all workers have exited, and are being replaced');
  await expect.poll(reply).toBe('200 undefined');
});

test('a port that is in use is reported with the flag that chooses another', async () => {
  const flags = ['--port', '0', '--admin-port', String(server.adminPort), '--database', 'other.db'];
  for (const workers of ['1', '2'])
    expect(await commands.run(['serve', ...flags, '--workers', workers], { folder: folder.path })).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^stockbook: Port \d+ on 127\.0\.0\.1 is in use\. .* or choose another port with --admin-port \d+\.\n$/,
      ),
    });
});
