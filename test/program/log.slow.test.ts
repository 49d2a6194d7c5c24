/** The log of the real program: on a terminal, when it is told to stop under load, and when nobody reads it. */

import { once } from 'node:events';
import { Agent } from 'node:http';
import { expect, test } from 'vitest';
import { hasTerminals, type Serving, serve, startInTerminal } from '../support/program.ts';
import { PARTNERS, PRODUCTS } from '../support/rows.ts';
import { bearer, send } from '../support/service.ts';
import { folderPerTest } from '../support/shared.ts';

const folder = folderPerTest();

async function start(...flags: string[]): Promise<{ readonly server: Serving; readonly headers: typeof HEADERS }> {
  const server = folder.killLater(await serve(['--demo', ...flags], { folder: folder.path }));
  return { server, headers: bearer(/sbk_\w+/.exec(server.output().stdout)?.[0] ?? '') };
}

const HEADERS = bearer('');

const linesIn = (text: string) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => Object(JSON.parse(line)));

test('told to stop under load, it has a line for every request that got a response, and then the last one', async () => {
  const { server, headers } = await start();
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const answered: string[] = [];
  let isStopped = false;
  const client = async (name: number) => {
    for (let n = 0; !isStopped; n += 1) {
      const id = `${name}-${n}`;
      await send(
        server.port,
        { path: `${PRODUCTS}/${n + 1}`, headers: { ...headers, 'x-request-id': id } },
        agent,
      ).then(
        () => answered.push(id),
        () => undefined,
      );
      if (server.child.killed && server.child.exitCode !== null) return;
    }
  };
  const clients = Promise.all(Array.from({ length: 8 }, (_, name) => client(name)));
  await expect.poll(() => answered.length).toBeGreaterThan(500);
  server.child.kill('SIGTERM');
  const { code, stderr } = await server.finished;
  isStopped = true;
  await clients;
  agent.destroy();
  expect(code).toBe(0);
  const lines = linesIn(stderr);
  const logged = lines.filter(({ msg }) => msg === 'request completed').map(({ requestId }) => requestId);
  expect(new Set(logged).size).toBe(logged.length);
  expect(answered.filter((id) => !logged.includes(id))).toEqual([]);
  expect(lines.at(-1)).toMatchObject({ msg: 'stopped', forced: false });
});

test('a reader that is stuck neither stops the service nor keeps it from stopping', async () => {
  const { server, headers } = await start();
  server.child.stderr.pause();
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  // Each line has more than 200 bytes, and a pipe holds 64 KiB, like the stream that reads from it.
  for (let round = 0; round < 10; round += 1) {
    const replies = Array.from({ length: 100 }, () => send(server.port, { path: '/api' }, agent));
    for (const { status } of await Promise.all(replies)) expect(status).toBe(401);
  }
  expect(
    await send(server.port, {
      method: 'POST',
      path: PARTNERS,
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"name":"A"}',
    }),
  ).toRespond(201);
  agent.destroy();
  const exited = once(server.child, 'exit');
  server.child.kill('SIGTERM');
  await exited;
  server.child.stderr.resume();
  const { stderr } = await server.finished;
  expect(stderr).toContain('"msg":"listening"');
});

test.skipIf(!hasTerminals)('on a terminal, lines are text', async () => {
  const running = startInTerminal(['serve', '--port', '0'], { folder: folder.path, env: { TERM: 'xterm-256color' } });
  const output = () => running.output().stdout;
  await expect.poll(output).toMatch(/info[^\n]* listening [^\n]*address=[^\n]*http:/);
  await expect.poll(output).toMatch(/is listening on http:\/\/\S+:\d+\s/);
  const port = Number(/is listening on http:\/\/\S+:(\d+)/.exec(output())?.[1]);
  await send(port, { path: `/${encodeURIComponent('\x1b[2J')}` });
  await expect.poll(output).toMatch(/request completed .*unknown.*path_not_found/);
  expect(output()).toContain('\x1b[32minfo \x1b[39m');
  expect(output()).not.toContain('\x1b[2J');
  running.child.stdin.write('\x03');
  await running.finished;
});
