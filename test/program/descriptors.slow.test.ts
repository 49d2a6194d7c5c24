/** `stockbook serve` with fewer file descriptors than it would like to have. */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectionBudget } from '../../src/process/connection-budget.ts';
import { childOf, hasLimits, run, type Serving, serve } from '../support/program.ts';
import { sendUnchecked } from '../support/service.ts';
import { folderPerTest } from '../support/shared.ts';

describe('the number of connections', () => {
  const wanted = { total: 4_096, perAddress: 0 };

  test.each([
    ['unlimited', undefined, { total: 4_096, refusals: 100 }],
    ['just enough', 200 + 4_096 + 100, { total: 4_096, refusals: 100 }],
    ['one too few', 200 + 4_096 + 99, { total: 4_095, refusals: 100 }],
    ['a common limit', 1_024, { total: 741, refusals: 83 }],
    ['the least', 218, { total: 16, refusals: 2 }],
  ])('with %s descriptors', (_, max, expected) => {
    expect(connectionBudget(wanted, 200, max)).toEqual({ ...expected, perAddress: 0 });
  });

  test('with too few, the message says how to raise the limit', () => {
    expect(() => connectionBudget(wanted, 200, 217)).toThrow(/only 217 files, and needs 200 .* LimitNOFILE/);
    expect(connectionBudget({ total: 5, perAddress: 0 }, 200, 206)).toMatchObject({ total: 5 });
  });
});

const limitedTo = (descriptors: number) => ['prlimit', `--nofile=${descriptors}`];

describe.skipIf(!hasLimits)('the program', () => {
  const folder = folderPerTest();

  async function start(descriptors: number, workers: number): Promise<Serving> {
    const options = { folder: folder.path, prefix: limitedTo(descriptors) };
    return folder.killLater(await serve(['--workers', String(workers)], options));
  }

  const linesAbout = ({ output }: Serving, event: string) =>
    output()
      .stderr.split('\n')
      .filter((line) => line.includes(`"msg":"${event}"`))
      .map((line) => Object(JSON.parse(line)));

  test('does not start with less than it needs', async () => {
    const finished = await run(['serve', '--port', '0'], { folder: folder.path, prefix: limitedTo(200) });
    expect(finished).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^stockbook: .* only 200 files, .*\n$/),
    });
  });

  test.each([1, 2])('with --workers %d, refuses connections before it runs out', async (workers) => {
    const server = await start(332, workers);
    const [reported, ...others] = linesAbout(server, 'too few descriptors');
    expect(reported).toMatchObject({ level: 'warn', pid: server.child.pid, descriptors: 332 });
    expect(others).toEqual([]);
    const open = new Set<Socket>();
    const sockets = Array.from({ length: 400 }, () => {
      const socket = connect(server.port, '127.0.0.1').on('error', () => {});
      open.add(socket);
      return socket.on('close', () => open.delete(socket)).resume();
    });
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    await Promise.all(sockets.map((socket) => once(socket, 'connect').catch(() => undefined)));
    await expect.poll(() => open.size).toBe(reported.maxConnections * workers);
    for (const path of ['/health/live', '/health/ready', '/metrics'])
      expect(await sendUnchecked(server.adminPort, { path })).toRespond(200);
    expect(linesAbout(server, 'connection refused')).not.toEqual([]);
    expect(linesAbout(server, 'descriptors exhausted')).toEqual([]);
    for (const socket of sockets) socket.destroy();
    await expect.poll(async () => (await sendUnchecked(server.port, { path: '/api/v1/me' })).status).toBe(401);
  });

  test('says so if it has run out nevertheless', async () => {
    const server = await start(4_096, 2);
    const worker = childOf(server);
    execFileSync('prlimit', [`--pid=${worker}`, '--nofile=10:4096']);
    await expect
      .poll(() => linesAbout(server, 'descriptors exhausted'))
      .toMatchObject([{ level: 'error', pid: worker, error: { message: expect.stringContaining('EMFILE') } }]);
    execFileSync('prlimit', [`--pid=${worker}`, '--nofile=4096:4096']);
  });
});
