/** `stockbook serve --workers`: several processes that serve on one port. */

import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { commands } from '../support/commands.ts';
import { socketsOn } from '../support/listeners.ts';
import { childOf, childrenOf, run, type Serving, serve, start } from '../support/program.ts';
import { PARTNERS } from '../support/rows.ts';
import { send } from '../support/service.ts';
import { folderPerTest } from '../support/shared.ts';

const folder = folderPerTest();
const serving = async (...flags: string[]) =>
  folder.killLater(await serve(['--workers', '2', ...flags], { folder: folder.path }));

const command = (...args: string[]) => run(args, { folder: folder.path });
const prepared = (...args: string[]) => commands.run(args, { folder: folder.path });

async function startTwo(): Promise<{ server: Serving; key: string }> {
  await prepared('account', 'add', 'acme');
  const key = (await prepared('key', 'add', 'acme', '--name', 'test')).stdout.trim();
  return { server: await serving(), key };
}

test('ids are unique, every process sees what another wrote, and a key is revoked everywhere', async () => {
  const started = await startTwo();
  const headers = { authorization: `Bearer ${started.key}` };
  expect(childrenOf(started.server)).toHaveLength(2);
  const ids = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const { json } = await send(started.server.port, {
        method: 'POST',
        path: PARTNERS,
        headers: { ...headers, 'content-type': 'application/json' },
        body: '{"name":"A"}',
      });
      const { id } = Object(json).data;
      expect(await send(started.server.port, { path: `${PARTNERS}/${id}`, headers })).toRespond(200);
      return id;
    }),
  );
  expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, n) => n + 1));
  await prepared('key', 'revoke', started.key.split('_')[1] ?? '');
  for (let n = 0; n < 6; n += 1) expect(await send(started.server.port, { path: PARTNERS, headers })).toRespond(401);
});

function linesAbout({ output }: Serving, event: string): { readonly worker: number; readonly pid: number }[] {
  return output()
    .stderr.split('\n')
    .filter((line) => line.includes(`"msg":"${event}"`))
    .map((line) => JSON.parse(line));
}

test('a worker that exits is replaced while the others continue', async () => {
  const started = await startTwo();
  const headers = { authorization: `Bearer ${started.key}` };
  const victim = childOf(started.server);
  process.kill(victim, 'SIGKILL');
  await expect.poll(() => started.server.output().stderr).toContain('worker exited');
  for (let n = 0; n < 6; n += 1) expect(await send(started.server.port, { path: PARTNERS, headers })).toRespond(200);
  await expect.poll(() => childrenOf(started.server)).toHaveLength(2);
  expect(childrenOf(started.server)).not.toContain(victim);
  await expect.poll(() => linesAbout(started.server, 'worker replaced')).toHaveLength(1);
  const [exited] = linesAbout(started.server, 'worker exited');
  const [replaced] = linesAbout(started.server, 'worker replaced');
  expect(exited).toMatchObject({ level: 'error', pid: started.server.child.pid, worker: victim, cause: 'SIGKILL' });
  expect(replaced).toMatchObject({ level: 'info', replaces: victim, milliseconds: expect.any(Number) });
  expect(childrenOf(started.server)).toContain(replaced?.worker);
  // Workers that exit before they listen are replaced as well.
  const first = childrenOf(started.server);
  for (const pid of first) process.kill(pid, 'SIGKILL');
  const replacements = () => childrenOf(started.server).filter((pid) => !first.includes(pid));
  await expect.poll(replacements, { interval: 5 }).not.toEqual([]);
  for (const pid of replacements()) process.kill(pid, 'SIGKILL');
  // Without a worker, nobody listens, so each attempt opens another connection.
  const statuses = new Set<number>();
  const attempt = () => {
    send(started.server.port, { path: PARTNERS, headers }).then(
      ({ status }) => statuses.add(status),
      () => undefined,
    );
    return [...statuses];
  };
  await expect.poll(attempt, { interval: 100 }).toEqual([200]);
});

async function listenOn(port: number, reusePort = false): Promise<Server> {
  const server = createServer().listen({ host: '127.0.0.1', port, reusePort });
  await once(server, 'listening');
  return server;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** The ticks of processor time that a process has taken; undefined once it has exited. */
function processorTime(pid: number): number | undefined {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return undefined;
  const [user, system] = readFileSync(path, 'utf8').replace(/.*\) /, '').split(' ').slice(11, 13).map(Number);
  return (user ?? 0) + (system ?? 0);
}

test('a worker whose primary process is killed while it starts ends without an error', async () => {
  const running = folder.killLater(start(['serve', '--workers', '2', '--port', '0'], { folder: folder.path }));
  await expect.poll(() => childrenOf(running), { interval: 5 }).not.toEqual([]);
  // From now on it responds to nothing, so the worker gets no further than to the first answer that it needs.
  running.child.kill('SIGSTOP');
  const worker = childOf(running);
  let before: number | undefined;
  const isWaiting = () => {
    const [last, now] = [before, processorTime(worker)];
    before = now;
    return now === last;
  };
  await expect.poll(isWaiting, { interval: 300 }).toBe(true);
  running.child.kill('SIGKILL');
  const { stderr } = await running.finished;
  const lines = stderr.split('\n').filter((line) => line !== '');
  expect(lines.map((line) => line.startsWith('{') && JSON.parse(line).msg)).toEqual(['stopping', 'stopped']);
});

test('one process does the maintenance', async () => {
  await prepared('account', 'add', 'acme');
  const database = new DatabaseSync(join(folder.path, 'data/stockbook.db'));
  database.exec('ALTER TABLE tombstone RENAME TO misplaced');
  database.close();
  const server = await serving();
  server.child.kill('SIGTERM');
  await server.finished;
  expect(new Set(linesAbout(server, 'maintenance failed').map(({ pid }) => pid))).toEqual(new Set([server.child.pid]));
});

test.each(['SIGTERM', 'SIGINT'] as const)('all workers stop on %s, and the exit code is 0', async (signal) => {
  const started = await startTwo();
  const children = childrenOf(started.server);
  started.server.child.kill(signal);
  expect((await started.server.finished).code).toBe(0);
  for (const pid of children) expect(() => process.kill(pid, 0)).toThrow();
});

describe('a port that is in use is reported once', () => {
  const reportOf = (port: number) => ({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`^stockbook: Port ${port} on 127\\.0\\.0\\.1 is in use\\..*\n$`)),
  });

  test('by another program', async () => {
    const taken = await listenOn(0);
    expect(await command('serve', '--workers', '2', '--port', String(portOf(taken)))).toEqual(reportOf(portOf(taken)));
    taken.close();
  });

  test.each(['1', '2'])('by another service, with --workers %s', async (workers) => {
    const { port } = await serving();
    const flags = ['--workers', workers, '--port', String(port), '--database', 'other.db'];
    expect(await command('serve', ...flags)).toEqual(reportOf(port));
  });
});

test('a port that another program takes while the first worker starts is not shared with it', async () => {
  const probe = await listenOn(0);
  const port = portOf(probe);
  await new Promise((resolve) => probe.close(resolve));
  const running = folder.killLater(start(['serve', '--workers', '2', '--port', String(port)], { folder: folder.path }));
  await expect.poll(() => childrenOf(running), { interval: 5 }).not.toEqual([]);
  const taken = await listenOn(port, true);
  const { code, stderr } = await running.finished;
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining(`Port ${port} on 127.0.0.1 is in use.`),
  });
  taken.close();
});

/** Another kernel than that of Linux: with and without connections that the primary process distributes, as on macOS and on Windows. */
const elsewhere = (policy: string) => ({
  NODE_OPTIONS: `--import "data:text/javascript,Object.defineProperty(process, 'platform', { value: 'darwin' })"`,
  NODE_CLUSTER_SCHED_POLICY: policy,
});

describe.each(['rr', 'none'])('where sockets cannot share a port, with the policy %s', (policy) => {
  test('workers share one socket, and one that exits is replaced', async () => {
    await prepared('account', 'add', 'acme');
    const key = (await prepared('key', 'add', 'acme', '--name', 'test')).stdout.trim();
    const server = folder.killLater(await serve(['--workers', '2'], { folder: folder.path, env: elsewhere(policy) }));
    const status = async () =>
      (await send(server.port, { path: PARTNERS, headers: { authorization: `Bearer ${key}` } })).status;
    for (let n = 0; n < 6; n += 1) expect(await status()).toBe(200);
    expect(socketsOn(server.port)).toBe(1);
    const victim = childOf(server);
    process.kill(victim, 'SIGKILL');
    await expect.poll(() => linesAbout(server, 'worker replaced')).toHaveLength(1);
    for (let n = 0; n < 6; n += 1) expect(await status()).toBe(200);
    expect(socketsOn(server.port)).toBe(1);
    server.child.kill('SIGTERM');
    expect((await server.finished).code).toBe(0);
  });

  test('a port that is in use is reported', async () => {
    const taken = await listenOn(0);
    const flags = ['--workers', '2', '--port', String(portOf(taken))];
    expect(await run(['serve', ...flags], { folder: folder.path, env: elsewhere(policy) })).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(`Port ${portOf(taken)} on 127.0.0.1 is in use.`),
    });
    taken.close();
  });
});

test.each([
  [['--domain', 'a b'], 2, /^stockbook: --domain must be a domain name .*, not "a b"\.\n$/],
  [
    ['--cache-size', 'all'],
    2,
    /^stockbook: --cache-size must be a whole number of megabytes from 0 to 999999, not "all"\.\n$/,
  ],
  [['--port', '0', '--host', '203.0.113.7'], 1, /^stockbook: This machine has no address 203\.0\.113\.7\..*\n$/],
])('%j is reported in one line', async (flags, code, message) => {
  const finished = await command('serve', '--workers', '2', ...flags);
  expect(finished).toEqual({ code, stdout: '', stderr: expect.stringMatching(message) });
  // A command that is used incorrectly does nothing.
  if (code === 2) expect(readdirSync(folder.path)).toEqual([]);
});

test('the demo account and its key are created once', async () => {
  const server = await serving('--demo');
  await expect.poll(() => server?.output().stdout).toContain('curl');
  const key = /sbk_\w+/.exec(server.output().stdout)?.[0];
  expect(server.output().stdout.match(/is listening on/g)).toHaveLength(1);
  expect(await send(server.port, { path: PARTNERS, headers: { authorization: `Bearer ${key}` } })).toRespond(200);
});
