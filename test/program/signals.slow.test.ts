/** `stockbook serve` gets signals: from its first moment on, and also those that have nothing to do with stopping. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  childOf,
  childrenOf,
  hasTerminals,
  type Running,
  type Serving,
  serve,
  start,
  startInTerminal,
} from '../support/program.ts';
import { send } from '../support/service.ts';
import { folderPerTest } from '../support/shared.ts';

const folder = folderPerTest();

function startServing(...flags: string[]): Running {
  return folder.killLater(start(['serve', '--port', '0', ...flags], { folder: folder.path }));
}

async function startWorkers(): Promise<Serving> {
  return folder.killLater(await serve(['--workers', '2'], { folder: folder.path }));
}

const isRunning = (pid: number) => existsSync(`/proc/${pid}`);

describe('while it starts, SIGTERM stops it with exit code 0', () => {
  test.each([1, 2])('once there are %d workers, and the primary ends last', async (workers) => {
    const started = startServing('--workers', '2');
    await expect.poll(() => childrenOf(started).length, { interval: 1 }).toBeGreaterThanOrEqual(workers);
    const children = childrenOf(started);
    started.child.kill('SIGTERM');
    const { code, stderr } = await started.finished;
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('"msg":"stopped"') });
    expect(children.filter(isRunning)).toEqual([]);
  });

  test('once all processes of its group have got the signal', async () => {
    const started = startServing('--workers', '2');
    await expect.poll(() => childrenOf(started).length, { interval: 1 }).toBeGreaterThanOrEqual(1);
    const children = childrenOf(started);
    started.child.kill('SIGTERM');
    for (const pid of children) process.kill(pid, 'SIGTERM');
    expect((await started.finished).code).toBe(0);
    expect(children.filter(isRunning)).toEqual([]);
  });

  test('once it has created the database', async () => {
    const started = startServing();
    await expect.poll(() => existsSync(join(folder.path, 'data/stockbook.db')), { interval: 1 }).toBe(true);
    started.child.kill('SIGTERM');
    expect((await started.finished).code).toBe(0);
  });
});

test('SIGHUP is ignored without a terminal, and SIGUSR1 does not start the debugger', async () => {
  const server = await startWorkers();
  const processes = [server.child.pid ?? 0, ...childrenOf(server)];
  for (const signal of ['SIGHUP', 'SIGUSR1']) for (const pid of processes) process.kill(pid, signal);
  for (let n = 0; n < 4; n += 1) expect(await send(server.port, { path: '/api/v1/me' })).toRespond(401);
  expect(childrenOf(server)).toEqual(processes.slice(1));
  server.child.kill('SIGTERM');
  const { code, stderr } = await server.finished;
  expect(code).toBe(0);
  expect(stderr).not.toContain('Debugger');
  expect(stderr).not.toContain('worker exited');
});

test.skipIf(!hasTerminals)('SIGHUP stops it if its terminal is closed', async () => {
  const { output, child, finished } = folder.killLater(
    startInTerminal(['serve', '--port', '0', '--workers', '2'], { folder: folder.path }),
  );
  await expect.poll(() => output().stdout).toContain('is listening on');
  const primary = childOf({ child });
  const workers = childrenOf({ child: { pid: primary } });
  expect(workers).toHaveLength(2);
  // The kernel sends it to all processes of the foreground.
  for (const pid of [primary, ...workers]) process.kill(pid, 'SIGHUP');
  const { code, stdout } = await finished;
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/stopping.*SIGHUP[\s\S]*stopped/) });
});
